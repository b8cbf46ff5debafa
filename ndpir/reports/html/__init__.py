"""The report of a run: one HTML file of static text and SVG, and a script that draws the timeline on a canvas."""

"""The report: one HTML file for a run, of static text and SVG, and a script that draws the timeline on a canvas."""

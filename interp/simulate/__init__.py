"""Simulation of programs: the timeline of their tasks and copies, and the moves between memories that they need."""

"""Simulation of programs: the schedule of their tasks and copies, and the moves between memories that they need."""

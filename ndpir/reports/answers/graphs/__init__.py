"""Answers that are graphs: of a program, and of its placement."""

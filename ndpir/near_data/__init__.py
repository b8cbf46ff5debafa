"""Targets that print tables of near-data programs and of placement decisions."""

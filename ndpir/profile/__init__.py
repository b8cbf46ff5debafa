"""Measurement of the costs of placing a program, by few runs, and their profile."""

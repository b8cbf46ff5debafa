"""Rewriting rules, one table a file: what holds for the ops of the graph level."""

"""Whole networks as graphs, by their papers and published tables, beside what was measured."""

"""Rewrite rules for ops of the graph level, one table per file."""

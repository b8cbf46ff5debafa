"""Rewrite rules for ops of the graph level; each file defines one table of rules."""

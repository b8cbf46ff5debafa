"""Searches for the placement and order of least makespan of unpartitioned ops, with little and with more effort, and
the greatest lower bound."""

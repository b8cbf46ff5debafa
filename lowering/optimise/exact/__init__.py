"""Exact search for the placement and order of least makespan, by branch and bound and by CP-SAT."""

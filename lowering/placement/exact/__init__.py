"""The placement and order of least makespan, proved."""

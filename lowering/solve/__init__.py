"""Solvers that know nothing of programs and machines: linear programs, CP-SAT and greatest flows by OR-tools, and
hill climbing."""

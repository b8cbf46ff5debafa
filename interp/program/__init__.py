"""Programs as all interpreters need them: entry function, views, weights, the amount of work in a run, and arrays for
arguments.
"""

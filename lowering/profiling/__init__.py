"""The least number of profiling runs that measure all costs that a placement may need.

`plan.py` plans the runs, `items.py` says what they must measure, `cover.py` finds the least number. ndpir/profile/
executes them.
"""

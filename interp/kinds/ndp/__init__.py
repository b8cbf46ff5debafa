"""The level `ndp`, programs of near-data units: their values, the law of their cycles, and their cost model.

A unit streams the phases of a group (`phases.py`). Its cycles are a function of the numbers of elements, loads, stores,
reductions and ops (`law.py`), whose constants are read by `files.py` and fitted by `fit.py`. The memory behind all
units bounds each phase (`costs.py`).
"""

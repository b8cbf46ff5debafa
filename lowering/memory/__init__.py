"""Plans for programs larger than a device's memory: which bytes are evicted and prefetched when, which values are
recomputed, and a lower bound on the time of any plan of moves.

`prefetch.py` is the pass, with policies by name in `policies.py`. The policy `plan` considers the idle intervals of
tensors (`intervals.py`), solves a linear program over them (`bound.py`, by `lowering/solve/rows.py`), which gives
the bound, and makes moves from its solution (`planning.py`). `writing.py` writes moves as ops;
interp/simulate/program_moves.py reads them back. `worth.py` estimates the gain from doubling each hardware parameter.
"""

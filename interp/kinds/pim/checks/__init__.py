"""Static checks of bank programs, by which a program that is certain to be wrong is refused, without a run.

`hazards.py` finds commands on closed rows, reads of what was never loaded, and sums that are missing, never drained or
overwritten; `accesses.py` finds entries of outputs that are stored twice or never. A refused program is not timed. The
errors are those of a run with numbers, which also finds hazards that depend on the contents of rows in loops.
"""

"""Schedules of programs: the start and end times of tasks and copies on devices and links, under rules for shared
resources and memory.

`ledger.py` records the jobs of a schedule; `routes.py` knows the links between any two devices. The memory use of a
program is counted only in `residency.py`, for `place`, `to-pim` and every timeline.

No other task runs during a loop, and an iteration starts when the previous one has ended. So a loop is one event of the
timeline, with a nested timeline of one iteration, whose time, energy, bytes and bound are multiplied by the trip count.
A loop needs the memory of one iteration; a carried value initially uses the memory of its operand, if no later op reads
the operand.
"""

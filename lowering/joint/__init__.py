"""Plans that decide together where each op runs, where each value rests, and which ops run again, for programs that
exceed the primary device's memory.

`program.py` gives a lower bound on the time of each such plan, from a linear program of which each further file adds a
layer: `slots.py` what runs when, of the pieces of memory in `contents.py`; `residing.py` where these are; `beside.py`
what other devices do. `lines.py` holds its columns and rows.
"""

"""Plans that decide together where each op runs, where each value rests, and which ops run again, for programs that
exceed the primary device's memory.

`contents.py` lists what memories hold over the course of a program; `program.py` is a linear program over all such
plans, whose optimum is a lower bound on the time of each.
"""

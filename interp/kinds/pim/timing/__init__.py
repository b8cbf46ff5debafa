"""Cycle-exact timing of bank programs: the cycle in which each bank gets each command, by the timing constraints of the
data sheet.

A constraint states that a command is not issued before time t + d, where t is the time of an earlier command. So the
state of a loop becomes periodic: the clock detects the period exactly and skips repeated periods, also with refreshes.
The cost of a simulation grows with the length of the program's text, not with its trip counts, and channels with equal
programs are simulated once. `clock.py` is the entry; the sheet selects one of three clocks:

    rows by program      the program opens rows, commands are issued in order (Newton, AttAcc): clock.py, constraints.py
    rows by controller   the controller opens rows, in order, and switches modes, synchronises and refreshes (AiM,
                         HBM-PIM): controller_managed/
    scheduler …          the controller reorders requests (AttAcc's simulator; ordinary accesses between AiM's
                         commands): requests/, request by request

The first two clocks time loops by one engine (`periods.py`); each provides the state of a channel, and the function
that issues the next command. `log.py` logs single commands.
"""

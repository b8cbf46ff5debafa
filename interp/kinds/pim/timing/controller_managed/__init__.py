"""Timing of channels whose controllers open rows, switch modes and refresh on their own (AiM, HBM-PIM), in program
order.

`rows.py` derives row hits from index expressions before the simulation, so that a channel's state contains no row
numbers and becomes periodic.
"""

"""Cycle-exact timing of one bank program for many variants of a device at once, which differ in numbers only.

Every constraint has the form "not before t + d", so that times are computed for a vector of values of d as well as for
one. The rules are those of the clocks for one device: which commands a constraint ties (`constraints.py`), which rows a
command opens (`rows.py`), and what a controller does next (`controller_managed/`). Variants whose refreshes fall due
at different commands, or whose loops become periodic after different iterations, are followed in parts.

What depends on the values of others than the constraints' stays with the clock for one device (`clock.py` says what).
"""

"""The level `pim`, bank programs: their values, hazards and cycles, and the cost model of PIMs.

`level.py` is the interface that other packages use. All traversals of a kernel's commands use one visitor,
`visitor.py`.
"""

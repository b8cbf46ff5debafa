"""Answers that several outputs draw, as plain data: frozen dataclasses of numbers and text, with units in their names.

The answer of a single output stands in the file of this output. `Run` (`ndpir/reports/run.py`) computes, once, the data
that several answers need.
"""

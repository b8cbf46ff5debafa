"""Comparisons with measurements and with other tools, run by hand; none of them is a timed test.

This directory is a Python package, because other projects install a package named `benchmarks`, which Python would
import instead.
"""

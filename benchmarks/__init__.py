"""Measurements against peers, run by hand; none of them is a timed test.

This directory is a package, because other projects install a package named `benchmarks`, which Python would import."""

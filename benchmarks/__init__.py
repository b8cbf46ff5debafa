"""Measurements against peers, run by hand; not timed tests. A package, because others install one of this name."""

"""Benchmarks of the code itself: how much of it a step of a run needs."""

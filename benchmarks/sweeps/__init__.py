"""Benchmarks of design sweeps (`ndp-sweep`)."""

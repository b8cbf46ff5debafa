"""Benchmarks of fits to a user's measurements (`ndp-calibrate`)."""

"""Benchmarks of sweeps."""

"""Benchmarks of machines with near-data units."""

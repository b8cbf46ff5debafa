"""Benchmarks of near-data units."""

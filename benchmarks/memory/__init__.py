"""Benchmarks of programs larger than GPU memory, compared with published tables."""

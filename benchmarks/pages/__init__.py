"""Benchmarks of what people look at, in a browser."""

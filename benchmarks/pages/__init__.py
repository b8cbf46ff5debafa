"""Benchmarks of the HTML reports, in a headless browser."""

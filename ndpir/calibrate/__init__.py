"""Fits of the constants of kernel models to measurements."""

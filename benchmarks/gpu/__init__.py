"""Measured GPU kernels, baselines, bars, and the tables and calibrations made of them."""

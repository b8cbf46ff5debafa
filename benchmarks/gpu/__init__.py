"""Measured GPU kernels, baselines, accuracy bars, and the tables and calibrations made from these."""

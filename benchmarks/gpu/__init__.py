"""Measurements of GPU kernels, simple models to compare with, required accuracies, and the tables and calibrations made
from them."""

"""Costs of work on one device or link: GPU kernels, rooflines, profiles, and the clock over all."""

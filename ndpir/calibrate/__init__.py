"""Fits of the constants of GPU kernel models, and of a board's power, to measurements (`ndp-calibrate`)."""

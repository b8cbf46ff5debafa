"""Fitted constants: calibrations of GPU kernel models, and laws of near-data units, each with its data and its
error."""

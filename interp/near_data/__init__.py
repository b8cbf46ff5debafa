"""Interpretation of near-data programs: their values, cost and memory."""

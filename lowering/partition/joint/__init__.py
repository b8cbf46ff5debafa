"""The policy `joint`: devices, splits, pipeline stages and order, decided in one search."""

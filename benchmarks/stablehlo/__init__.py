"""Checks of StableHLO that are run by hand: the project's tests, and complete modules against XLA."""

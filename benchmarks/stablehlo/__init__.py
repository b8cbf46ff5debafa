"""Checks of StableHLO that are run by hand: the StableHLO project's tests, and complete modules compared with XLA."""

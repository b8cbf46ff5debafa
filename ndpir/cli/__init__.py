"""The command `ndp-opt`."""

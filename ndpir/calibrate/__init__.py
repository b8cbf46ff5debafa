"""The command `ndp-calibrate`."""

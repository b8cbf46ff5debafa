"""The command `ndp-profile`."""

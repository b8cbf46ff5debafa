"""The policy `joint`."""

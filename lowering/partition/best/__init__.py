"""The policy `best`."""

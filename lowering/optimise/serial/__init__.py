"""The policy `path`: the placement of least serial time, the sum of all tasks and copies."""

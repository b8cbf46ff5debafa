"""The policy `best`: the plan of least makespan among those of all other policies and of its own space of splits and
pipelines."""

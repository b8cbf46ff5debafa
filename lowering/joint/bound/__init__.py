"""A lower bound on the time of any plan that decides on devices, repeated runs and moves between memories together."""

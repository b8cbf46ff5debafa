"""Walks over programs: the facts that all interpreters share (views, donated arguments, weights, levels of device
programs), and the run that computes values."""

"""Completion of command lines in bash, zsh and fish: names of passes, pipelines, targets, their options with values,
machines, devices, ops and packaged examples."""

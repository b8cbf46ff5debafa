"""Execution of programs larger than their device's memory: the memory that holds each byte, the moves between memories,
and the times of these moves."""

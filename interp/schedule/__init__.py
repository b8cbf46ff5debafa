"""Schedules: jobs on resources, arbitration, memory and the timeline."""

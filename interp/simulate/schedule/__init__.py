"""Schedules of programs: the start and end times of tasks and copies on devices and links, under rules for shared
resources and memory."""

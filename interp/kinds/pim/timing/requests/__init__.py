"""Timing of programs with the controllers of published simulators: requests wait in queues, and the sheet's scheduler
picks one."""

"""Search of schedules of kernels of thread blocks: spaces of schedules, analytical models that rank them, and simulated
trials.
"""

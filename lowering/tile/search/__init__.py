"""Search of schedules of kernels of thread blocks: spaces of schedules, closed models that rank them, and simulated
trials.
"""

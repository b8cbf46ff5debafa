"""Search of schedules of kernels of thread blocks: spaces of them, what ranks them, and what a trial of one says."""

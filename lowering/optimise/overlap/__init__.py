"""Near-data units that work concurrently with a GPU, so that the time of their kernels is hidden behind kernels on the
GPU."""

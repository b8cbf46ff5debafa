"""Near-data units that work concurrently with a GPU, so that their time is hidden behind its kernels."""

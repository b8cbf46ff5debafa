"""Near-data units that work while a GPU does, so that their time hides behind its kernels."""

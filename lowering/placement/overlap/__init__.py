"""What hides beside the kernels of a GPU: near-data units that work while it does."""

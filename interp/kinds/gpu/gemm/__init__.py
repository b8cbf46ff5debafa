"""Times of matrix products on GPUs: a library's tiles and splits, the blocks on multiprocessors, and memory traffic."""

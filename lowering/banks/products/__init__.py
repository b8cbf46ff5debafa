"""Bank programs of matrix products: the mapping of a product onto channels, banks, rows and buffers, chosen by
simulated time."""

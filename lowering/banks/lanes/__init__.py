"""Bank programs of element-wise ops: their mapping to columns of rows, and to lanes of the units at the banks."""

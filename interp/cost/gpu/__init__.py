"""Times of a GPU's kernels: one model a class of kernels, vectorised over shapes, with constants that have
physical names and are fitted on measurements (interp/devices/calibrations)."""

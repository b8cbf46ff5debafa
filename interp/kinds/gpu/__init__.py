"""Times of GPU kernels: one model per kernel class, vectorised over shapes, with constants of physical meaning that are
fitted to measurements (interp/devices/calibrations)."""

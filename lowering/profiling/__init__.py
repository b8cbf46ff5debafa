"""The minimum number of profiling runs that measure all costs a placement may need."""

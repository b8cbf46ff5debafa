from time import perf_counter
STARTED = perf_counter()

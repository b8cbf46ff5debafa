"""Programs larger than a device's memory: plans of moves and of recomputation, and a lower bound on the time of any
plan of moves."""

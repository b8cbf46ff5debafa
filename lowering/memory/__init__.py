"""Plans for programs larger than a device's memory: moves between memories, recomputation of values, and a lower bound
on the time of any plan of moves."""

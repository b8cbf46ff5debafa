"""Near-data units: the numbers that their programs compute, the law of their cycles, and their cost model."""

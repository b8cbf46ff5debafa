"""Elements of memories that ops access (twice, never, by two thread blocks), decided from index expressions alone,
without running the program."""

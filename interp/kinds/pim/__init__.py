"""Bank programs of a PIM: their numerics, hazards and timing, and the cost model of PIMs."""

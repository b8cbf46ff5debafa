"""Bank programs of a PIM: their numerics, hazards and timing."""

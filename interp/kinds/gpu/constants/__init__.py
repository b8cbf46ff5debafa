"""Constants of kernel models: their selection for a GPU, their files, and their fits to measurements."""

"""Constants of kernel models: which hold for a GPU, their files, and their fits to measurements."""

"""Constants of GPU kernel models: which apply to a GPU (its own, its family's, or plausible ones), their files, and
their fits to measurements."""

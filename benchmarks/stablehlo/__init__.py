"""StableHLO as others know it: the project's own tests, and whole modules against XLA. By hand."""

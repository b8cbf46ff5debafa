"""The names that `ndp-opt` knows: dialects, passes, targets, pipelines and plugins."""

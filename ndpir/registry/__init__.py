"""What `ndp-opt` knows by name: dialects, passes, targets, pipelines and plugins."""

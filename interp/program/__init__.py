"""Programs as all interpreters see them: entry, views, weights, what they cost to run, and their numbers."""

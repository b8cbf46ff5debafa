"""The base of all cost models, and costs that come from profiles."""

"""The commands that answer for many points: `ndp-sweep`, with its results, and `ndp-serve`."""

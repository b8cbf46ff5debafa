"""Shards of ops, halos included, and the passes `split`, `chain` and `strip-mine`, which compute ops in shards, in
pipeline stages, and in strips by a loop."""

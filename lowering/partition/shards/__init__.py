"""Shards of ops, halos included, and the passes `split` and `chain`, which compute ops in shards and in pipeline
stages."""

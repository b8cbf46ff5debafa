"""Shards of ops, and the passes that compute ops in shards and in pipeline stages."""

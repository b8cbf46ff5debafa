"""Passes that compute ops in shards and in pipeline stages."""

"""Computation of ops in shards and in pipeline stages."""

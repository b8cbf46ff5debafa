"""Serving of language models, compared with measured runs of engines."""

"""Numerics of bank programs."""

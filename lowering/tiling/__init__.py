"""Ops computed in parts and in stages."""

"""Cycle-exact timing of bank programs."""

"""Checks of bank programs, without running them."""

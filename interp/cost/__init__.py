"""Costs of work on one device or link: GPU kernel models, rooflines, profiles, and the clock that combines them."""

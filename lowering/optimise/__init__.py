"""Searches for the best placement and order of a planning problem; policies name them."""

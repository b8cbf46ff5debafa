"""Policies that search for placements and orders."""

"""Programs and tables of placements."""

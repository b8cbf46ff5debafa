"""Placements by rules and by moves of single nodes or groups, as other searches start from them."""

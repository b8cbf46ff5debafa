"""Placements by rules, as lists and beams of partial schedules, and by moves of single nodes or groups, as other
searches start from them."""

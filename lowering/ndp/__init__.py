"""Lowering of fused groups to programs of near-data units, and optimisations of these programs."""

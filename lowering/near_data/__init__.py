"""From fused groups to programs of near-data units, and what makes these programs shorter."""

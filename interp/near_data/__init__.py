"""Programs of near-data units: what they compute and what they take."""

"""Matrix products as bank programs."""

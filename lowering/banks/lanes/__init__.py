"""Element-wise work as bank programs."""

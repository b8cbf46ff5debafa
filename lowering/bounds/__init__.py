"""Lower bounds on any placement."""

"""Times of bank programs, to the cycle."""

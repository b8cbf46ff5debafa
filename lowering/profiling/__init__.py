"""The fewest runs that measure what a placement could need to know."""

"""Programs larger than the memory of their device: which bytes lie where, what moves them, and what that costs."""

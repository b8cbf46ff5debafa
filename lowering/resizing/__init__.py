"""Other extents for a program of fixed shapes: axes traced from the arguments, constants extended, every op inferred
again."""

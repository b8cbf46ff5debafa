"""The primary device alone: the baseline of speed-ups, the forms of a program, and the sensitivity of both to assumed
numbers."""

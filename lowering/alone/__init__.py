"""The primary device alone: the baseline of speed-ups, the forms of a program, and the sensitivity of both to assumed
numbers.

The baseline is recorded before the first pass after which it could no longer be derived from the program, unless no
output needs it. So it is the same for all pipelines that allow the same element types, and also if a pipeline is
divided into several commands with files between them. A program placed with another profile counts as placed for
another machine. A law draws lists of passes and checks that no plan on the primary device alone is faster.
"""

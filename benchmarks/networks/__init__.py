"""Graphs of complete networks, built from papers and published tables, and their predicted times, compared with
measurements."""

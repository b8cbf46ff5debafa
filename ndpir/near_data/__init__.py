"""Near-data programs as tables for people."""

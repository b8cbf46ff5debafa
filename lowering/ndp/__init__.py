"""Near-data programs: each fused group with its own loads and stores (`to-ndp`), and passes that remove redundant
ones."""

"""Plans of splits and pipelines as data, their application to a program, and the times of ops and shards from which
plans are made."""

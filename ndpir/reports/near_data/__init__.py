"""Reports on near-data programs and on placement decisions."""

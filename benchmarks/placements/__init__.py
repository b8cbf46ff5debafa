"""Programs and tables for the placement benchmarks."""

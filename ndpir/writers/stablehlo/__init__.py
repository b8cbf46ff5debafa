"""The target `stablehlo`: the StableHLO text that a graph-level program becomes."""

"""The target `stablehlo`, which writes StableHLO text."""

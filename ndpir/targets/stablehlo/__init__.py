"""The target `stablehlo`."""

"""Converters of PyTorch's operators (ATen) to graph ops, one file per subject."""

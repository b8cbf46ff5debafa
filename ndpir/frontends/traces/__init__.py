"""Readers of traces and plans that other tools wrote: kernels, tensors and moves between memories."""

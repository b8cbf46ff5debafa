"""Traces and plans from files: kernels, tensors and moves as others wrote them down."""

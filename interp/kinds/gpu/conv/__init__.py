"""Convolutions on GPUs, algorithm by algorithm."""

"""Fused attention on GPUs."""

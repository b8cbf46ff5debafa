"""Lowering of tasks on a PIM to commands for its banks."""

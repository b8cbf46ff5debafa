"""Traces of other tools: readers and writers of vendors' command traces, and a reader of kernels with their tensors."""

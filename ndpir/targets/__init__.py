"""Targets of `ndp-opt -t`: summary, timeline, Perfetto traces, drawings, values, and exported programs."""

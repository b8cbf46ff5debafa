"""Outputs: timeline, Perfetto, dot and svg, values, PIM traces, summary."""

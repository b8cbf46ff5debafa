"""Timing of channels whose controllers open rows, switch modes and refresh on their own."""

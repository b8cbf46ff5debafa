"""Traces drawn for the speed of bank clocks."""

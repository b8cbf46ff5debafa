"""Errors in programs and command lines: verification of programs, and diagnostics as printed."""

"""The error in a command line."""

from __future__ import annotations


class UsageError(Exception):
    """An error in the command line; the driver prints the message and exits with status 2."""

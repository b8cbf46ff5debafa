"""The check for scipy, by which the constants of cost models are fitted."""

from __future__ import annotations

from importlib.util import find_spec

from dialects.diagnostics import InputError


def check_fitter() -> None:
    """Raises InputError if scipy, which fits need, is missing."""
    if find_spec("scipy") is None:
        message = "fits need scipy, which is not installed; `pip install scipy`, or ndpir with its extra `calibrate`"
        raise InputError(message)

"""A backend of `torch.compile`: it runs a model by PyTorch, and answers what it would take on a machine."""

from __future__ import annotations

from ndpir.pytorch.backend import backend, report, reset
from ndpir.pytorch.answer import GraphTime, Report

__all__ = ["GraphTime", "Report", "backend", "report", "reset"]

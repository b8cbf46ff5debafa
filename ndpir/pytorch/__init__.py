"""PyTorch's side: a backend of `torch.compile` that answers what a model would take on a machine, and training
steps."""

from __future__ import annotations

from ndpir.pytorch.answer import GraphTime, Report
from ndpir.pytorch.backend import backend, report, reset
from ndpir.pytorch.training import training_step

__all__ = ["GraphTime", "Report", "backend", "report", "reset", "training_step"]

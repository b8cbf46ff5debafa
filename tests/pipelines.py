"""Named pipelines, grouped by purpose."""

from __future__ import annotations

from ndpir.registry.pipelines import PIPELINES


def _steps(name: str) -> str:
    return ",".join(step for step, _ in PIPELINES[name])


PLACING = [name for name in PIPELINES if "place" in _steps(name) and "prefetch{policy" not in _steps(name)]
"""Pipelines that place ops and work on any machine; `swap`, which needs a memory behind the GPU, is left out."""

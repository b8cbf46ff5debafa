"""Named pipelines by what they are for."""

from __future__ import annotations

from ndpir.registry.pipelines import PIPELINES


def _steps(name: str) -> str:
    return ",".join(step for step, _ in PIPELINES[name])


PLACING = [name for name in PIPELINES if "place" in _steps(name) and "prefetch" not in _steps(name)]
"""Pipelines that decide where ops run, on any machine: `swap` asks for memory behind the GPU."""

"""Programs from text for tests: each op has the place it stands at in `test.mlir`."""

from __future__ import annotations

from io import BytesIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ndpir.frontends.mlir import read_text
from ndpir.registry.names import LazyContext, Registry


def context() -> Context:
    """A context that knows all dialects of ndpir."""
    return LazyContext(Registry())


def parse(text: str) -> ModuleOp:
    """A verified module."""
    module = read_text(context(), BytesIO(text.encode()), "test.mlir")
    module.verify()
    return module

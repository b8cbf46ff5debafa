"""Programs from text for tests: each op gets its line and column as a location in `test.mlir`."""

from __future__ import annotations

from io import BytesIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ndpir.frontends.mlir import read_text
from ndpir.registry.names import LazyContext, Registry


def context() -> Context:
    """A context with all dialects of ndpir."""
    return LazyContext(Registry())


def parse(text: str, name: str = "test.mlir") -> ModuleOp:
    """Parse a text, which would be in the file `name`, into a verified module."""
    module = read_text(context(), BytesIO(text.encode()), name)
    module.verify()
    return module

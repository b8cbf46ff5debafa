"""A program that prints the MLIR module in its input, bytecode or a portable artifact of StableHLO, as text.

It runs in a process of its own and imports nothing of ndpir: on damaged files, jaxlib's reader corrupts the memory of
its process or ends it, and writes names of the file to stderr. Exit status: 0, or 1 if jaxlib rejects the input.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Any


@cache
def mlir() -> tuple[Any, Any]:
    """MLIR's Python bindings, and a context with the dialects in which StableHLO programs are written."""
    ir: Any = import_module("jaxlib.mlir.ir")
    context, registry = ir.Context(), ir.DialectRegistry()
    context.enable_multithreading(False)  # its threads would be missing in a process forked from this one
    import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext").register_dialects(registry)  # includes func
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in ("stablehlo", "chlo"):
        import_module(f"jaxlib.mlir.dialects.{dialect}").register_dialect(context)
    return ir, context


def main() -> int:
    """Print the module in stdin; returns the exit status."""
    ir, context = mlir()
    portable = import_module("jaxlib.mlir.dialects.stablehlo").deserialize_portable_artifact
    data = sys.stdin.buffer.read()
    for is_portable in (True, False):
        try:
            module = portable(context, data) if is_portable else ir.Module.parse(data, context)
        except (ir.MLIRError, ValueError):
            continue
        sys.stdout.buffer.write(module.operation.get_asm(binary=True, enable_debug_info=True, use_local_scope=True))
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())

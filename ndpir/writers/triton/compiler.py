"""Compilation by Triton's compiler of the kernels that `-t triton` prints; the GPUs need not be installed."""

from __future__ import annotations

import importlib
import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from dialects.diagnostics import InputError
from dialects.element_types import dtype_of
from dialects.launching import memref_of
from dialects.tile import BlocksOp, BufferOp, KernelOp

POINTERS = {
    "float16": "*fp16",
    "bfloat16": "*bf16",
    "float32": "*fp32",
    "float64": "*fp64",
    "bool": "*i1",
    "int8": "*i8",
    "int16": "*i16",
    "int32": "*i32",
    "int64": "*i64",
    "uint8": "*u8",
}
"""Triton's names of pointer types by numpy's names of the element types."""


def compiled(text: str, grids: Mapping[str, BlocksOp], capability: int) -> list[str]:
    """Compile the functions of a printed file for a compute capability; returns one line of text per function with its
    registers and shared memory. `grids`: the grid of each function by name. Raises InputError without the package
    `triton`, and for code that the compiler rejects."""
    if importlib.util.find_spec("triton") is None:
        raise InputError(
            "triton: the package `triton` is not installed, so nothing is compiled; install it, or remove `compile`",
            next(iter(grids.values())),
        )
    triton: Any = importlib.import_module("triton")
    compiler: Any = importlib.import_module("triton.backends.compiler")
    target = compiler.GPUTarget("cuda", capability, 32)
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:  # Triton reads functions' source from their file
        file = loaded(text, Path(folder))
        for name, grid in grids.items():
            kernel = grid.parent_op()
            assert isinstance(kernel, KernelOp)
            own = [op.memory for op in kernel.body.block.ops if isinstance(op, BufferOp)]
            arguments = [*kernel.body.block.args, *own]
            pointers = [POINTERS[dtype_of(memref_of(value).element_type).name] for value in arguments]
            function = getattr(file, name)
            # Pointers of torch's tensors are aligned to 16 bytes, which its launcher tells the compiler too.
            source = triton.compiler.ASTSource(
                fn=function,
                signature=dict(zip(function.arg_names, pointers, strict=True)),
                attrs={(number,): [["tt.divisibility", 16]] for number in range(len(pointers))},
            )
            try:
                found = triton.compile(source, target=target, options={"num_warps": grid.threads // 32})
            except Exception as error:
                raise InputError(f"triton: Triton's compiler refuses {name}: {_sentence(error)}", grid) from None
            lines.append(
                f"{name} for sm_{capability}: {_registers(triton, found, Path(folder))} registers a thread, "
                f"{found.metadata.shared} bytes of shared memory"
            )
    return lines


def loaded(text: str, folder: Path) -> ModuleType:
    """The Python module of a printed file, imported from `folder`, which must exist while its functions are
    compiled."""
    path = folder / f"printed_{len(list(folder.iterdir()))}.py"  # sources are remembered by their path
    path.write_text(text, encoding="utf-8")
    if importlib.util.find_spec("torch") is None:  # only its launchers ask for torch
        path.write_text(text.replace("import torch\n", "\n"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[path.stem]
    return module


def _registers(triton: Any, found: Any, folder: Path) -> str:
    """The number of registers per thread in the machine code of a compiled function, as NVIDIA's tool `cuobjdump`
    reports it; "an unknown number of" if the tool reports no number."""
    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    code = folder / "code.cubin"
    code.write_bytes(found.asm["cubin"])
    usage = subprocess.run([tool, "-res-usage", code], capture_output=True, text=True, check=False).stdout
    number = re.search(r"\bREG:(\d+)", usage)
    return number.group(1) if number else "an unknown number of"


def _sentence(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__

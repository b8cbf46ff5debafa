"""The inputs that the front end reads: files of exported programs, and PyTorch's objects in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ndpir.frontends.sizes import Sizes
from ndpir.frontends.torch.importer import import_program
from ndpir.frontends.torch.program import Program

SUFFIX = ".pt2"


def is_of_torch(given: object) -> bool:
    """True for an exported program or a traced graph of PyTorch, which is not imported to find out."""
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(given).__mro__}
    return bool(kinds & {"torch.ExportedProgram", "torch.GraphModule"})


def read_file(path: str, sizes: Sizes, trusts_pickles: bool = False) -> ModuleOp:
    """The program in a file of `torch.export.save`. PyTorch is not needed. Raises InputError."""
    from ndpir.frontends.torch.archive import read_archive

    return import_program(read_archive(path, trusts_pickles), sizes)


def read_object(given: Any, sizes: Sizes, inputs: Sequence[str] = ()) -> ModuleOp:
    """An `ExportedProgram`, or a traced `GraphModule` of ATen ops. `inputs`: names for the inputs of a graph. Operators
    that are not supported are decomposed by PyTorch where it can. Raises InputError."""
    return import_program(program_of(given, inputs), sizes)


def read_traced(module: Any, sizes: Sizes, parameters: Mapping[str, str]) -> ModuleOp:
    """A traced `GraphModule`. `parameters`: titles of the inputs that are parameters or buffers, by the placeholder's
    name; they become weights without numbers, since only times are asked for. Raises InputError."""
    from ndpir.frontends.torch.memory import from_graph

    return import_program(from_graph(module, parameters=parameters), sizes)


def program_of(given: Any, inputs: Sequence[str] = ()) -> Program:
    """The same as records."""
    from ndpir.frontends.torch.memory import from_exported, from_graph
    from ndpir.frontends.torch.unsupported import unsupported

    if not hasattr(given, "graph_signature"):
        return from_graph(given, inputs=inputs)
    program = from_exported(given)
    if missing := unsupported(program):
        return from_exported(_decomposed(given, set(missing)))
    return program


def _decomposed(program: Any, missing: set[str]) -> Any:
    """The program with some operators replaced by those that PyTorch defines them by, where it does; operators of
    transforms (`vmap`) are applied."""
    import torch

    table = torch.export.default_decompositions()
    chosen = {op: rule for op, rule in table.items() if str(op) in missing}
    has_transforms = any("functorch" in name for name in missing)
    return program.run_decompositions(chosen) if chosen or has_transforms else program

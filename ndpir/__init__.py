"""ndpir from Python: the same steps as `ndp-opt`, in a few lines.

```python
import ndpir

model = ndpir.read("examples/models/mobilenet_v2.onnx")
placed = ndpir.compile(model, "offload", machine="a100-newton")
print(ndpir.write(placed, "summary"))
timeline = ndpir.simulate(placed)
outputs = ndpir.run(placed, seed=7)
```

A program is an `xdsl.dialects.builtin.ModuleOp`; passes, targets, machines and their options are written as on the
command line. Errors in the input are raised as `InputError`, whose text starts with the location. Importing
ndpir is cheap: each function imports its dependencies when called.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from os import PathLike
from time import perf_counter

TYPE_CHECKING = False  # as type checkers know it: `typing` is not loaded before Ctrl-C is heard (ndpir/cli/command.py)
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path
    from typing import Any, Protocol

    from numpy import generic
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from dialects.diagnostics import InputError as InputError
    from interp.schedule.timeline import Timeline
    from ndpir.registry.names import Registry

    class Lowered(Protocol):
        """The object that jax returns for a lowered function."""

        def compiler_ir(self) -> Any: ...

    class Exported(Protocol):
        """The object that `jax.export` returns."""

        mlir_module_serialized: bytes


STARTED = perf_counter()
"""The time at which this package was imported; `--timing` counts from here."""

__all__ = ["InputError", "compile", "load_plugin", "parse", "read", "run", "simulate", "write"]


def read(
    path: str | Path | Lowered | Exported,
    *,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    machine: str | None = None,
) -> ModuleOp:
    """The program in a file: an ONNX model (`.onnx`), a vendor's command trace (`.trace`, `.pim`) or text (anything
    else: ours, or StableHLO; of this MLIR's bytecode, too), or the result of `jax.jit(f).lower(…)` or `jax.export`.

    `dims`: sizes of a model's symbolic dimensions; `shapes`: shapes of its inputs that replace those in the model.
    Weights stay in the file until their numbers are needed.
    `machine`: the device of a trace, a machine file or data sheet by name or path.
    """
    if not isinstance(path, str | PathLike):
        with _telling("<lowered>"):
            given: Any = path
            return _imported(given.compiler_ir() if hasattr(given, "compiler_ir") else given.mlir_module_serialized)
    name = str(path)
    with _telling(name):
        if name.endswith(".onnx"):
            from ndpir.frontends.onnx import import_onnx

            return import_onnx(name, dims, shapes)
        if dims or shapes:
            from dialects.diagnostics import InputError

            given = "`dims` gives sizes to the dimensions" if dims else "`shapes` gives shapes to the inputs"
            raise InputError(f"{given} of an ONNX model, and this file is text")
        from codecs import BOM_UTF8
        from os.path import isfile

        from ndpir.cli.opt import read_input

        data = read_input(name, name)
        kept_in = name if isfile(name) else None
        if data.startswith(b"ML\xefR"):
            return _imported(data, name, kept_in)
        text = data.decode("utf-8-sig")
        if name.endswith((".trace", ".pim")):
            from ndpir.banks.read.program import read_program
            from ndpir.cli.verify import verify

            module = read_program(_context(), text, name, machine)
            verify(module)
            return module
        return _parsed(text, name, kept_in, data.startswith(BOM_UTF8) * len(BOM_UTF8))


def parse(text: str, name: str = "<text>") -> ModuleOp:
    """Parse and verify a program; `name` is the file name in messages and locations."""
    with _telling(name):
        return _parsed(text, name)


def _parsed(text: str, name: str, kept_in: str | None = None, start: int = 0) -> ModuleOp:
    from ndpir.cli.verify import verify
    from ndpir.frontends.stablehlo import is_stablehlo

    if is_stablehlo(text):
        return _imported(text, name, kept_in, start)
    from ndpir.frontends.mlir import PlacingParser

    module = PlacingParser(_context(), text, name).parse_module()
    verify(module)
    return module


def _imported(source: Any, name: str = "<lowered>", kept_in: str | None = None, start: int = 0) -> ModuleOp:
    """A program in StableHLO; `kept_in`: the file that holds it from byte `start` on."""
    from ndpir.frontends.stablehlo.importer import import_stablehlo

    return import_stablehlo(source, name, kept_in=kept_in, start=start)


def compile(
    module: ModuleOp, passes: str = "offload", *, machine: str | None = None, keep_types: bool = False
) -> ModuleOp:
    """A new program: `module` after the passes and pipelines that `passes` lists, as after `ndp-opt -p`.

    `machine`: a machine file or data sheet by name or path, as after `--machine`. Default: the program's `hw` ops, or
    the default machine if there are none and a pass needs one.
    `keep_types`: `reduce-precision` keeps the program's element types.
    """
    with _telling(None):
        from lowering.placement.primary_alone import note_baselines, shared
        from ndpir.cli.machines import attach_machine, is_compared, machine_of, needs_machine
        from ndpir.cli.steps import passes_of, with_types_kept
        from ndpir.cli.verify import verify

        steps = passes_of(passes, _registry(), "passes")
        steps = with_types_kept(steps) if keep_types else steps
        result = module.clone()
        attach_machine(result, machine, next((step.name for step in steps if needs_machine(step)), None))
        compares = any(map(is_compared, steps)) and machine_of(result)
        done = shared(result, steps, keep_types) if compares else []
        for index, step in enumerate(steps):
            if compares and index == len(done):
                note_baselines(result, keep_types=keep_types, done=done)
            step.apply(_context(), result)
            verify(result)
        return result


def simulate(module: ModuleOp, *, machine: str | None = None, entry: str | None = None) -> Timeline:
    """The timeline of a program: events, makespan, lower bound, busy times, energy and bytes moved.

    `machine`: as for `compile`, for a program without `hw` ops of its own.
    """
    with _telling(None):
        from interp.schedule.simulation import simulate as simulate_on
        from lowering.banks.templates import clock_for
        from ndpir.cli.machines import attach_machine

        if machine is not None:
            module = module.clone()
            attach_machine(module, machine, None)
        return simulate_on(module, clock_for(module), entry)


def run(
    module: ModuleOp,
    inputs: Sequence[NDArray[generic]] | str | Path | None = None,
    *,
    seed: int = 0,
    entry: str | None = None,
) -> list[NDArray[generic]]:
    """The results that a program computes, at any level; without `inputs`, for random inputs from `seed`.

    `inputs`: one numpy array per argument of the entry function, of its shape and type; or a file of arrays by argument
    name (.npz, .safetensors), with missing ones drawn from `seed`.
    """
    with _telling(None):
        from interp.program.run import run_module

        if isinstance(inputs, str | PathLike):
            from interp.program.bindings import bound_inputs
            from interp.program.entry import entry_of

            inputs = bound_inputs(entry_of(module, entry), [str(inputs)], seed)
        return run_module(module, inputs, seed=seed, entry=entry)


def write(module: ModuleOp, target: str = "mlir") -> str:
    """The output of `ndp-opt -t TARGET` for a program, as text: `mlir`, `timeline`, `summary`, `perfetto`, `dot`, …

    A target that writes bytes (`onnx`) returns them as text, one character per byte: `.encode("latin-1")` gives the
    bytes.
    """
    with _telling(None):
        from io import StringIO

        from ndpir.cli.steps import target_of

        output = StringIO()
        target_of(target, _registry(), "target").emit(_context(), module, output)
        return output.getvalue()


def load_plugin(path: str | Path) -> None:
    """Load a plugin file, like `--plugin` (ndpir/registry/plugins.py lists what plugins may define)."""
    with _telling(str(path)):
        from ndpir.registry.plugins import load_file

        load_file(str(path)).join(_registry())


@cache
def _registry() -> Registry:
    from ndpir.registry.names import Registry

    registry = Registry()
    registry.discover()
    return registry


@cache
def _context() -> Any:
    from ndpir.registry.names import LazyContext

    return LazyContext(_registry())


@contextmanager
def _telling(name: str | None) -> Generator[None]:
    """Convert errors caused by the input into one InputError with the location in its text (`name` if it has none)."""
    from dialects.diagnostics import InputError
    from ndpir.cli.report import of_undecodable, of_unreadable, reports_of
    from ndpir.cli.verify import undumped

    try:
        with undumped():
            yield
    except Exception as error:
        match error:
            case UnicodeDecodeError():
                reports = [of_undecodable(error, name or "the input")]
            case OSError():
                reports = [of_unreadable(error, str(error.filename or name))]
            case _:
                reports = reports_of(error)
        if not reports:
            from ndpir.registry.plugins import blamed_on, told

            if (place := blamed_on(error)) is None:
                raise
            raise InputError(f"{place}: the plugin fails: {told(error)}", place) from error
        place = reports[0].place or name
        raise InputError(f"{place}: {reports[0].message}" if place else reports[0].message, place) from error


def __getattr__(name: str) -> Any:
    if name == "InputError":
        from dialects.diagnostics import InputError

        return InputError
    raise AttributeError(f"module 'ndpir' has no attribute {name!r}")

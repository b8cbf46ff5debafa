"""The Python interface of ndpir: functions for the steps of `ndp-opt`.

```python
# example.py
import ndpir

model = ndpir.read("examples/mlp.mlir")
placed = ndpir.compile(model, "offload", machine="a100-newton", settings={"newton.tCCD": 4})
timeline = ndpir.simulate(placed)
for row in timeline.rows()[:2]:
    print(row["name"], "on", row["on"], f"{row['ns']:.1f} ns, bound by", row["bound"])
summary = ndpir.answer(placed, "summary")
print(f"{summary.comparison.speed_up:.2f}x as fast as @{summary.comparison.primary} alone")
for row in ndpir.compare(model, machines=["a100-newton", "a100-aim"], pipelines=["gpu-only", "offload"]):
    print(row.machine, row.pipeline, f"{row.makespan_ns:.0f} ns, {row.speed_up:.2f}x")
outputs = ndpir.run(placed, seed=7)
print(outputs[0].shape, outputs[0].dtype)
print(ndpir.write(placed, "timeline{limit=1}").splitlines()[0])
```

```console
$ python example.py
copy %x on gpu->pim 396.6 ns, bound by latency
@matmul_1x2816x1024_f16 on pim 1368.0 ns, bound by mac cadence
2.76x as fast as @gpu alone
a100-newton gpu-only 24433 ns, 1.00x
a100-newton offload 7621 ns, 3.21x
a100-aim gpu-only 24433 ns, 1.00x
a100-aim offload 14109 ns, 1.73x
(1, 1024) float16
start        end       time  on        task     bound       bytes     energy  source
```

A program is an `xdsl.dialects.builtin.ModuleOp`; passes, targets, machines and their options are written as on the
command line. Errors in the input are raised as `InputError`, whose text starts with the location. Results are
dataclasses of plain data: `dataclasses.asdict` and `json.dumps` work on them. No function prints: notes go to the
logger `ndpir` of Python's `logging`, at level INFO. Importing ndpir is fast: each function imports its dependencies
when it is called. `ndpir.__version__` is the version of the installed package.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from os import PathLike
from time import perf_counter

TYPE_CHECKING = False  # as in `typing`, which must not be loaded before Ctrl-C is handled (ndpir/cli/command.py)
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path
    from typing import Any, Protocol
    from weakref import WeakKeyDictionary

    from numpy import generic
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from dialects.diagnostics import InputError as InputError
    from interp.simulate.schedule.timeline import Timeline
    from ndpir.compiler.comparing import Compared
    from ndpir.compiler.compilation import Compiler, Pass, Settings
    from ndpir.diagnostics.printed import Diagnostic
    from ndpir.registry.names import Registry
    from ndpir.serving.answer import Answer

    class Lowered(Protocol):
        """The interface of the object that `jax.jit(f).lower(…)` returns."""

        def compiler_ir(self) -> Any: ...

    class TorchProgram(Protocol):
        """The interface of the object that `torch.export.export` returns, and of a traced graph (`make_fx`)."""

        graph: Any

    class Exported(Protocol):
        """The interface of the object that `jax.export` returns."""

        mlir_module_serialized: bytes


STARTED = perf_counter()
"""The time at which this package was imported, in s of `perf_counter`; the start of `--timing`."""


def _check_other_packages() -> None:
    """Raises ImportError if Python finds another project's package under the name of one of the packages that are
    installed with ndpir, for example a folder `dialects` beside a script."""
    from importlib.machinery import PathFinder
    from os.path import dirname, realpath

    own = dirname(realpath(__path__[0]))
    for name in ("dialects", "interp", "lowering"):
        spec = PathFinder.find_spec(name)  # no package is imported, since that would take 0.2 s
        folders = list(spec.submodule_search_locations or [spec.origin or ""]) if spec else []
        if folders and dirname(realpath(folders[0])) != own:
            raise ImportError(
                f"ndpir needs its package `{name}` in {own}, but Python finds another one of this name: {folders[0]}; "
                "rename that one, or install ndpir into an environment of its own"
            )


_check_other_packages()

__all__ = [
    "InputError",
    "allow_read",
    "answer",
    "compare",
    "compile",
    "load_plugin",
    "parse",
    "read",
    "run",
    "serve",
    "simulate",
    "write",
]


def read(
    path: str | Path | Lowered | Exported | TorchProgram,
    *,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch: int | None = None,
    cache_length: int | None = None,
    opaque: bool = False,
    machine: str | None = None,
    trust_pickles: bool = False,
    weights: Sequence[str] = (),
) -> ModuleOp:
    """Read a program from a file, or from the result of `torch.export.export`, `jax.jit(f).lower(…)` or `jax.export`.

    A file is an ONNX model (`.onnx`), a program of `torch.export.save` (`.pt2`), a language model's config (`.json`, or
    the folder of a `config.json`), of which one step is built, a vendor's command trace (`.trace`, `.pim`), or, with
    any other extension, text of our dialects or of StableHLO, or StableHLO as MLIR bytecode. Weights are loaded from
    files when their values are needed. `example:NAME` is an example that comes with the package. Raises InputError for
    a file that can't be read or does not verify.
    `dims`, `shapes`, `batch` and `cache_length` give a model of ONNX or PyTorch other sizes, and a config those of its
    step, as `--dim`, `--shape`, `--batch` and `--cache-length` do: `dims` the size of a dimension by name (symbolic,
    `batch`, `sequence`, `cache`, or `INPUT.AXIS`), `shapes` the shape of an input by name, `batch` the number of
    samples, `cache_length` the number of tokens in a decoder's caches.
    `opaque`: operators of a model that are not supported become opaque ops, where their result types are known,
    as with `--opaque`: they run on the primary device, timed by their bytes.
    `machine`: the device of a trace, as a machine file or data sheet by name or path.
    `trust_pickles`: weights of a `.pt2` file that are pickled are read by PyTorch, which may run code of the file.
    `weights`: names of arguments of a program in text, or the name of all in JAX's `states[0]`, that are weights.
    """
    module = _read(path, dims, shapes, batch, cache_length, opaque, machine, trust_pickles)
    if not weights:
        return module
    with _converted_errors(path if isinstance(path, str) else "<program>"):
        from ndpir.frontends.weights import with_weights

        return with_weights(module, weights)


def _read(
    path: str | Path | Lowered | Exported | TorchProgram,
    dims: Mapping[str, int] | None,
    shapes: Mapping[str, Sequence[int]] | None,
    batch: int | None,
    cache_length: int | None,
    opaque: bool,
    machine: str | None,
    trust_pickles: bool,
) -> ModuleOp:
    """As `read`, without `weights`."""
    if not isinstance(path, str | PathLike):
        if _is_of_torch(path):
            with _converted_errors("<exported>"):
                from ndpir.frontends.sizes import Sizes
                from ndpir.frontends.torch.reading import read_object

                return read_object(path, Sizes.of(dims, shapes, batch, cache_length, opaque))
        with _converted_errors("<lowered>"):
            given: Any = path
            return _imported(given.compiler_ir() if hasattr(given, "compiler_ir") else given.mlir_module_serialized)
    name = str(path)
    with _converted_errors(name):
        from ndpir.frontends.examples import resolved

        name = resolved(name)
        if name.endswith(".onnx"):
            from ndpir.frontends.onnx import import_onnx

            return import_onnx(name, dims, shapes, batch, cache_length, opaque)
        from ndpir.frontends.sizes import Sizes, is_config

        sizes = Sizes.of(dims, shapes, batch, cache_length, opaque)
        if is_config(name):
            from ndpir.frontends.configs.requested import read_step

            return read_step(name, sizes)
        if name.endswith(".pt2"):
            from ndpir.frontends.torch.reading import read_file

            return read_file(name, sizes, trust_pickles)
        if given := sizes.names:
            from dialects.diagnostics import InputError

            raise InputError(
                f"`{given[0]}` applies only to models of ONNX (.onnx) and PyTorch (.pt2) and to configs (.json), but "
                f"this file is text; remove `{given[0]}`"
            )
        from codecs import BOM_UTF8

        from dialects.files import is_file
        from ndpir.frontends.source import read_input

        data = read_input(name, name)
        kept_in = name if is_file(name) else None
        if data.startswith(b"ML\xefR"):
            return _imported(data, name, kept_in)
        text = data.decode("utf-8-sig")
        if name.endswith((".trace", ".pim")):
            from ndpir.diagnostics.verify import verify
            from ndpir.traces.program import read_program

            context = _context()
            module = read_program(context, text, name, machine)
            verify(module, context)
            return module
        return _parsed(text, name, kept_in, data.startswith(BOM_UTF8) * len(BOM_UTF8))


def _is_of_torch(given: object) -> bool:
    if not any(kind.__module__.startswith("torch.") for kind in type(given).__mro__):
        return False
    from ndpir.frontends.torch.reading import is_of_torch

    return is_of_torch(given)


def parse(text: str, name: str = "<text>") -> ModuleOp:
    """Parse and verify the text of a program; `name` is the file name in messages and locations. Raises InputError for
    text that does not parse or verify."""
    with _converted_errors(name):
        return _parsed(text, name)


def _parsed(text: str, name: str, kept_in: str | None = None, start: int = 0) -> ModuleOp:
    from ndpir.diagnostics.verify import verify
    from ndpir.frontends.stablehlo import is_stablehlo

    if is_stablehlo(text):
        return _imported(text, name, kept_in, start)
    from ndpir.frontends.mlir import PlacingParser

    context = _context()
    module = PlacingParser(context, text, name).parse_module()
    verify(module, context)
    return module


def _imported(source: Any, name: str = "<lowered>", kept_in: str | None = None, start: int = 0) -> ModuleOp:
    """Import a program in StableHLO, and verify its annotations. `kept_in`: the file that contains it from byte `start`
    on, from which weights are read later; None if there is no such file."""
    from ndpir.diagnostics.verify import check_annotations
    from ndpir.frontends.stablehlo.importer import import_stablehlo

    module = import_stablehlo(source, name, kept_in=kept_in, start=start)
    check_annotations(module, _context())
    return module


def compile(
    module: ModuleOp | str | Path,
    passes: Pass | Sequence[Pass] = "offload",
    *,
    machine: str | Path | None = None,
    library: str | None = None,
    settings: Settings = (),
    profiles: Sequence[str | Path] = (),
    sheets: Sequence[str | Path] = (),
    keep_types: bool = False,
    effort: int | None = None,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch: int | None = None,
    cache_length: int | None = None,
    opaque: bool = False,
) -> ModuleOp:
    """Apply passes and pipelines to a copy of a program; returns the copy.

    `module`: the program, or the path of a file, which `read` reads with `dims`, `shapes`, `batch`, `cache_length` and
    `opaque`.
    `passes`: text as after `ndp-opt -p`; a pass object, such as `PlacePass(policy="greedy")`; xDSL's `PassPipeline`; or
    a sequence of these.
    `machine`: a machine file or data sheet by name or path, as after `--machine`. Default: the program's `hw` ops, or
    the default machine if there are none and a pass needs one.
    `library`: the library whose kernels the GPUs run that are timed by models of kernels, as after `--library`.
    `settings`: changed fields of sheets, as after `--set`: `{"aim.tCCD": 1}` or `["aim.tCCD=1"]`.
    `profiles`: files of measured costs, as after `--profile`.
    `sheets`: folders of data sheets and machine files, as after `--sheets`; they are found by name from then on.
    `keep_types`: keep the element types of the program: `choose-form` and `reduce-precision` do not convert them.
    `effort`: the effort with which `place` searches, 1 (quick) to 3, as after `-O`; default: that of the passes.
    Raises InputError for an unknown pass, option, machine or field, and for a program that a pass can't process.
    """
    with _converted_errors(None):
        from ndpir.compiler.compilation import Compiler, Request
        from ndpir.frontends.sizes import Sizes

        sizes = Sizes.of(dims, shapes, batch, cache_length, opaque)
        request = Request(passes, machine, settings, profiles, sheets, keep_types, sizes, library, effort)
        compiler = Compiler(request, _registry(), _context())
        program = request.read(module).clone()
        compiler.equip(program)
        read = program.clone()
        compiler.apply(program)
        _compiled()[program] = compiler, read
        return program


def compare(
    model: ModuleOp | str | Path,
    machines: Sequence[str | Path | None] = (None,),
    pipelines: Sequence[Pass | Sequence[Pass]] = ("offload",),
    *,
    library: str | None = None,
    settings: Settings = (),
    profiles: Sequence[str | Path] = (),
    sheets: Sequence[str | Path] = (),
    keep_types: bool = False,
    effort: int | None = None,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch: int | None = None,
    cache_length: int | None = None,
    opaque: bool = False,
) -> list[Compared]:
    """Compile a model by each pipeline for each machine, and simulate it. Returns a row for each machine and pipeline:
    first all pipelines of the first machine, then all pipelines of the second one, and so on.

    `model`: a program, or the path of a file, which `read` reads with `dims`, `shapes`, `batch`, `cache_length` and
    `opaque`.
    `machines`: as `machine` of `compile`; None is the program's own. `pipelines`: each as `passes` of `compile`. The
    other arguments are those of `compile`, for all rows.
    Each row has the figures that `-t summary` prints. A pair that can't be compiled or simulated has an `error`
    instead. Passes that give the same result on several machines run once. `pandas.DataFrame(rows)` is a table.
    """
    with _converted_errors(None):
        from ndpir.compiler.comparing import compared
        from ndpir.compiler.compilation import Request, Variants
        from ndpir.frontends.sizes import Sizes

        sizes = Sizes.of(dims, shapes, batch, cache_length, opaque)
        request = Request((), None, settings, profiles, sheets, keep_types, sizes, library, effort)
        variants = Variants(request.read(model), _registry(), _context())
        return list(compared(variants, machines, pipelines, request, _error_text))


def simulate(module: ModuleOp, *, machine: str | None = None, entry: str | None = None) -> Timeline:
    """Simulate a program; returns its timeline: events, makespan, lower bound, busy times, energy and bytes moved.

    `machine`: as for `compile`; it replaces the program's `hw` ops. `entry`: the function to simulate; default: `main`,
    or the first function.
    """
    with _converted_errors(None):
        from interp.simulate.simulation import simulate as simulate_on
        from lowering.banks.templates import clock_for
        from ndpir.frontends.machines import attach_machine

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
    """Execute a program of any level in the interpreter; returns its results.

    `inputs`: one numpy array per argument of the entry function, of its shape and type; or a file of arrays by argument
    name (.npz, .safetensors). Missing arguments are random numbers from `seed`. `entry`: the function to execute;
    default: `main`, or the first function.
    """
    with _converted_errors(None):
        from interp.walk.run import run_module

        if isinstance(inputs, str | PathLike):
            from interp.walk.bindings import bound_inputs
            from interp.walk.entry import entry_of

            inputs = bound_inputs(entry_of(module, entry), [str(inputs)], seed)
        return run_module(module, inputs, seed=seed, entry=entry)


def serve(
    *model: str | Path,
    machine: str | Path,
    batches: Sequence[int] = (1,),
    prompts: Sequence[int] = (2048,),
    outputs: Sequence[int] = (256,),
    engine: str = "none",
    passes: str = "plan",
    effort: int | None = None,
    library: str | None = None,
    settings: Settings = (),
    sheets: Sequence[str | Path] = (),
    types: Mapping[str, str] | None = None,
    shortest: float = 1.0,
    requests: int | None = None,
    hits: float = 0.0,
    price: float | None = None,
) -> Answer:
    """The answer of a machine that serves a language model: latency, tokens per second, energy and memory, for each
    combination of `batches`, `prompts` and `outputs` (numbers of tokens), as `ndp-serve` prints them.

    `model`: the path of a `config.json`, or of an exported decode step, with that of a prefill step. `engine`: an
    engine by name or sheet. `passes`, `effort`, `library`, `settings`, `sheets`: as for `compile`; the effort of `plan`
    is 1 by default. `types`: element types that differ from those of the config: `dtype`, `weights`, `cache`.
    `shortest`: the shortest prompt and answer as a fraction of the longest. `requests`: their number in all. `hits`:
    the share of each prompt that caches hold already. `price`: of the machine, dollars per hour. Raises InputError for
    a model, machine, engine or load that does not exist; a load that does not fit is a point with an `error`.
    """
    with _converted_errors(None):
        from ndpir.compiler.compilation import Request
        from ndpir.serving.answer import answered
        from ndpir.serving.models import model_of
        from ndpir.serving.question import Question

        effort = 1 if effort is None and passes == "plan" else effort
        request = Request(passes, machine, settings, (), sheets, library=library, effort=effort)
        question = Question(
            tuple(map(str, model)),
            request,
            tuple(batches),
            tuple(prompts),
            tuple(outputs),
            engine,
            {},
            shortest,
            requests,
            hits,
            dict(types or {}),
            price,
        ).checked()
        return answered(question, *model_of(question))


def write(module: ModuleOp, target: str = "mlir") -> str:
    """Write a program as `ndp-opt -t TARGET` does; returns the text. Targets: `mlir`, `timeline`, `summary`,
    `perfetto`, `dot`, …

    A target that writes bytes (`onnx`) returns them as text, one character per byte: `.encode("latin-1")` gives the
    bytes.
    """
    with _converted_errors(None):
        from io import StringIO

        from ndpir.compiler.steps import target_of

        output = StringIO()
        target_of(target, _registry(), "target").emit(_context(), module, output)
        return output.getvalue()


def answer(module: ModuleOp, target: str = "summary", *, replan: bool = False, why: bool = False) -> Any:
    """The answer of a target as data: a frozen dataclass of numbers and text, which `dataclasses.asdict` converts to
    dicts.

    `target`: written as after `ndp-opt -t`: `summary`, `timeline{sort=time}`, `banks`, `json` (all answers), …
    [json.md](json.md) describes the fields of each. Raises InputError for a target whose product is a file.
    `replan`: a summary also has the figures of programs that are compiled again, with other values of each assumed
    number that changes the result, as with `ndp-opt --replan`; `module` is then a program that `compile` returned.
    `why`: a summary also tells what decisions are worth, as with `ndp-opt --summary=why`; `module` as for `replan`.
    """
    with _converted_errors(None):
        from contextvars import copy_context

        from dialects.diagnostics import InputError
        from lowering.alone.sensitivity import REPLAN
        from ndpir.compiler.steps import target_of
        from ndpir.reports.answers.worth import RESTRICTED

        built: Any = target_of(target, _registry(), "target")
        if not hasattr(built, "answer"):
            raise InputError(f"the target {built.name} writes a file, and no answer; use ndpir.write", "target:1:1")
        if not (replan or why):
            return built.answer(module)
        if (known := _compiled().get(module)) is None:
            word = "replan" if replan else "why"
            raise InputError(f"`{word}` needs a program that ndpir.compile returned, since it is compiled again")
        compiler, read = known
        context = copy_context()
        if replan:
            context.run(REPLAN.set, compiler.recompiling(read))
        if why:
            context.run(RESTRICTED.set, compiler.restricting(read))
        return context.run(built.answer, module)


def load_plugin(path: str | Path) -> None:
    """Load a plugin file, like `--plugin`. ndpir/registry/plugins.py lists the names that a plugin may define. Raises
    InputError for a file that can't be loaded, and for names that are already in use."""
    with _converted_errors(str(path)):
        from ndpir.registry import plugins

        plugins.load_plugin(str(path), _registry())


def allow_read(*folders: str | Path) -> None:
    """Let the texts of programs name files in these folders from now on, like `--allow-read`: weights, data sheets and
    profiles. Without it, a program's text may name files only in its own folder (the text of `parse`: in the folder of
    its `name`), so that a program from someone else chooses no other files that are read."""
    from dialects.files import grant

    grant(folders)


@cache
def _registry() -> Registry:
    from ndpir.registry.names import Registry

    registry = Registry()
    registry.discover()
    return registry


@cache
def _compiled() -> WeakKeyDictionary[ModuleOp, tuple[Compiler, ModuleOp]]:
    """For each program that `compile` returned, its compiler, and the program as read, with its machine."""
    from weakref import WeakKeyDictionary

    return WeakKeyDictionary()


@cache
def _context() -> Any:
    from ndpir.registry.names import LazyContext

    return LazyContext(_registry())


def _log(message: str, place: str | None) -> None:
    """Log a note by Python's `logging`, since library calls print nothing."""
    from logging import getLogger

    getLogger("ndpir").info("%s: %s" if place else "%s%s", place or "", message)


@contextmanager
def _converted_errors(name: str | None) -> Generator[None]:
    """Convert errors in the input into an InputError whose text starts with the location (`name` if it has none)."""
    from dialects.diagnostics import InputError, other_notes_to
    from ndpir.diagnostics.verify import errors_without_program

    try:
        with errors_without_program(), other_notes_to(_log):
            yield
    except Exception as error:
        if isinstance(error, InputError) and str(error).startswith(f"{error.place}: "):
            raise  # converted before, by a function that the caller used
        if (diagnostic := _diagnostic_of(error, name)) is None:
            raise
        place = diagnostic.place or name
        raise InputError(f"{place}: {diagnostic.message}" if place else diagnostic.message, place) from error


def _diagnostic_of(error: Exception, name: str | None = None) -> Diagnostic | None:
    """The diagnostic for an error in the input or in a plugin; None for a defect of ndpir. `name`: the input's name."""
    from ndpir.compiler.compilation import DefectivePass
    from ndpir.diagnostics.printed import Diagnostic, diagnostics_of, of_undecodable, of_unreadable
    from ndpir.diagnostics.usage import UsageError

    match error:
        case UnicodeDecodeError():
            return of_undecodable(error, name or "the input")
        case OSError():
            return of_unreadable(error, str(error.filename or name))
        case UsageError() | DefectivePass():
            return Diagnostic("error", str(error))
        case _:
            diagnostics = diagnostics_of(error)
    if diagnostics:
        return diagnostics[0]
    from ndpir.registry.plugins import failing_plugin_line, in_one_line

    place = failing_plugin_line(error)
    return None if place is None else Diagnostic("error", f"the plugin fails: {in_one_line(error)}", place)


def _error_text(error: Exception) -> str | None:
    """The location and the sentence of an error in the input; None for a defect of ndpir."""
    diagnostic = _diagnostic_of(error)
    if diagnostic is None:
        return None
    return f"{diagnostic.place}: {diagnostic.message}" if diagnostic.place else diagnostic.message


def __getattr__(name: str) -> Any:
    if name == "InputError":
        from dialects.diagnostics import InputError

        return InputError
    if name == "__version__":
        from importlib.metadata import version

        return version("ndpir")
    raise AttributeError(f"module 'ndpir' has no attribute {name!r}")

"""Compilation of programs: the engine of `ndp-opt`, `ndpir.compile`, `ndpir.compare` and sweeps.

A `Request` specifies the compilation of a program: passes, a machine, and changes of the machine's sheets. A `Compiler`
executes one request: it attaches the machine, runs the passes, verifies the program after each, and records the
baseline (the primary device alone) before the first pass after which it can't be derived. `Variants` executes many
requests for one program, and runs the passes that they have in common once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from dialects.dependencies import Kept
from dialects.diagnostics import InputError
from ndpir.compiler.steps import (
    is_compared,
    needs_machine,
    passes_of,
    restrict_passes,
    with_effort,
    with_types_kept,
)
from ndpir.diagnostics.verify import InvalidProgram, check_devices, verify
from ndpir.frontends.machines import attach_machine, check_symbols, insert_first, machine_of
from ndpir.frontends.sizes import Sizes
from ndpir.registry.names import LazyContext, Registry

if TYPE_CHECKING:
    from lowering.alone.baseline import Baseline
    from lowering.alone.forms import KnownForms
    from lowering.alone.sensitivity import Recompiled
    from ndpir.compiler.settings import Setting

Pass: TypeAlias = str | ModulePass | PassPipeline
"""Passes as text, written as after `-p`; a pass object; or xDSL's pipeline of pass objects."""
Path: TypeAlias = str | PathLike[str]
Settings: TypeAlias = Sequence[str] | Mapping[str, int | float | str]
"""New values for fields of sheets: `["aim.tCCD=1"]`, written as after `--set`, or `{"aim.tCCD": 1}`."""


@dataclass(frozen=True)
class Request:
    """The passes and the machine that a program is compiled with."""

    passes: Pass | Sequence[Pass] = ()
    machine: Path | None = None
    """A machine file or data sheet by name or path. Default: the program's `hw` ops, or the default machine if there
    are none and a pass needs one."""
    settings: Settings = ()
    profiles: Sequence[Path] = ()
    """Files of measured costs, as `ndp-profile` writes them."""
    sheets: Sequence[Path] = ()
    """Folders of data sheets and machine files, which can be named without a path after the request was read."""
    keep_types: bool = False
    """True if `reduce-precision` keeps the program's element types."""
    sizes: Sizes = field(default_factory=Sizes)
    """The sizes that `read` gives to a model."""
    library: str | None = None
    """The library whose kernels all GPUs run that are timed by models of kernels; None: those that their sheets
    name."""
    effort: int | None = None
    """The effort of the passes that search (`place`); None: that of their options."""

    def read(self, model: ModuleOp | Path) -> ModuleOp:
        """The program to compile: `model` itself if it is a program, else the one in the file at this path, with the
        request's sizes. Raises InputError for a file that can't be read, and for sizes of a program that was read
        before."""
        if not isinstance(model, ModuleOp):
            import ndpir

            return ndpir.read(fspath(model), **self.sizes.arguments)
        if names := self.sizes.names:
            raise InputError(f"`{names[0]}` applies to a model that is read; give the model's path, or use read")
        return model


@dataclass(frozen=True)
class Flags:
    """The names by which error messages refer to the parts of a request, for example flags of the command line."""

    passes: str
    settings: str
    profiles: str
    library: str
    effort: str


PYTHON = Flags("passes", "settings", "profiles", "library", "effort")
COMMAND_LINE = Flags("-p", "--set", "--profile", "--library", "-O")


class Watcher:
    """The interface of observers of a compilation; the methods of this class do nothing."""

    def at(self, doing: str) -> None:
        """Called when a new step begins; `doing` describes the step."""

    def timed(self, section: str) -> AbstractContextManager[None]:
        """A context manager: the time spent in its body counts as time of the section `section` of the run."""
        return nullcontext()

    def starting(self, step: ModulePass, module: ModuleOp) -> None:
        """Called before a pass runs."""

    def ended(self, step: ModulePass, module: ModuleOp) -> None:
        """Called after a pass has run, before the program is verified."""

    def verified(self, step: ModulePass | None, module: ModuleOp) -> None:
        """Called after the program was verified; `step`: the pass that ran last, None before the first pass."""


class DefectivePass(Exception):
    """Raised when the program does not verify after a pass, which is an error in the pass."""

    def __init__(self, name: str, error: InvalidProgram) -> None:
        first = error.errors[0]
        super().__init__(f"pass {name} left a program that does not verify: {first.place or '?'}: {first.message}")


class Compiler:
    """A request with its passes constructed and its settings parsed, which can compile any number of programs."""

    def __init__(
        self,
        request: Request,
        registry: Registry,
        context: Context | None = None,
        *,
        flags: Flags = PYTHON,
        watcher: Watcher | None = None,
        verifies: bool = True,
    ) -> None:
        """`flags`: the names of the request's parts in messages. `verifies`: verify the program after each pass. Raises
        InputError for an unknown pass or option, and UsageError for a setting that can't be parsed."""
        self.request, self.flags, self.verifies = request, flags, verifies
        self.context = context or LazyContext(registry)
        self.watcher = watcher or Watcher()
        for folder in request.sheets:
            from ndpir.registry.plugins import load_sheets

            load_sheets(fspath(folder))
        steps = _steps(request.passes, registry, flags.passes)
        if request.effort is not None:
            steps = with_effort(steps, request.effort, flags.effort)
        self.steps: tuple[ModulePass, ...] = tuple(with_types_kept(steps) if request.keep_types else steps)
        self.settings = self._settings()

    def _settings(self) -> list[Setting]:
        given = self.request.settings
        if not given:
            return []
        from ndpir.compiler.settings import settings_of

        texts = [f"{name}={value}" for name, value in given.items()] if isinstance(given, Mapping) else given
        return settings_of(texts, self.flags.settings)

    def machine_readers(self, targets: Sequence[object] = ()) -> list[str]:
        """The names of the passes, targets and flags that need a machine."""
        names = [str(getattr(each, "name", "")) for each in (*self.steps, *targets) if needs_machine(each)]
        given = (self.flags.settings, self.settings), (self.flags.profiles, self.request.profiles)
        names += [flag for flag, values in given if values]
        return names if self.request.library is None else [*names, self.flags.library]

    def equip(self, module: ModuleOp, targets: Sequence[object] = (), *, attached: bool = False) -> None:
        """Attach the machine to a program, with the request's settings, library and profiles. `targets`: the targets
        that will be written. `attached`: True if the program has its machine already. Raises InputError for a machine,
        setting, library or profile that is invalid."""
        if not attached:
            wanted = None if self.request.machine is None else fspath(self.request.machine)
            before = machine_of(module)
            attach_machine(module, wanted, next(iter(self.machine_readers(targets)), None))
            if machine_of(module) != before:  # otherwise, the devices were checked when the program was verified
                check_devices(module, self.context)
        if self.settings:
            from ndpir.compiler.settings import apply

            apply(module, self.settings)
        if self.request.library is not None:
            from ndpir.compiler.settings import apply_library

            apply_library(module, self.request.library, self.settings, self.flags.library)
        if self.request.profiles:
            from ndpir.compiler.settings import apply_profiles

            apply_profiles(module, [fspath(path) for path in self.request.profiles], self.flags.profiles)

    def apply(self, module: ModuleOp) -> None:
        """Run the passes on a program that has its machine. Raises InputError for a program that a pass can't process,
        and DefectivePass if a program does not verify after a pass."""
        done = self.in_baseline(module) if self.is_compared(module) else None
        self.watcher.verified(None, module)
        self.resume(module, 0, done)

    def resume(
        self, module: ModuleOp, first: int, done: Sequence[ModulePass] | None, known: KnownForms | None = None
    ) -> None:
        """Run the passes from index `first` on. `done`: the leading passes that are part of the baseline, which is
        recorded after the last of these; None to record no baseline. `known`: the forms of the program after the first
        `first` passes, as far as they were built before."""
        with self._allowing_types(module) if done is not None else nullcontext():
            for number in range(first, len(self.steps) + 1):
                with self._reusing_forms(number, known if number == first else None):
                    if done is not None and number == len(done):
                        self.note_baselines(module, done)
                    if number < len(self.steps):
                        self.step(number, module)

    def _allowing_types(self, module: ModuleOp) -> AbstractContextManager[None]:
        """A context in which the baseline may use the element types that the request's passes may use."""
        from lowering.banks.templates import clock_for
        from lowering.graph.allowed_types import allowed, allowing

        return allowing(allowed(self.steps, clock_for(module).machine))

    def _reusing_forms(self, number: int, known: KnownForms | None) -> AbstractContextManager[None]:
        """A context in which the forms of the program are built once, if pass `number` needs them, as the baseline
        does."""
        if not any(step.name == "choose-form" for step in self.steps[number : number + 1]):
            return nullcontext()
        from lowering.alone.forms import KnownForms, known_as

        return known_as(known or KnownForms())

    def step(self, number: int, module: ModuleOp) -> None:
        """Run the pass with index `number`, and verify the program."""
        step = self.steps[number]
        self.watcher.at(f"running pass {step.name}")
        self.watcher.starting(step, module)
        step.apply(self.context, module)
        self.watcher.ended(step, module)
        if self.verifies:
            self.watcher.at(f"verifying the program after pass {step.name}")
            with self.watcher.timed("verify"):
                try:
                    verify(module, self.context)
                except InvalidProgram as error:
                    raise DefectivePass(step.name, error) from error
        self.watcher.verified(step, module)

    def is_compared(self, module: ModuleOp) -> bool:
        """True if the program has a machine and the request has a pass after which the baseline can't be derived."""
        return any(map(is_compared, self.steps)) and bool(machine_of(module))

    def in_baseline(self, module: ModuleOp) -> list[ModulePass]:
        """The leading passes whose results the baseline includes, for a program as read."""
        from lowering.alone.primary_alone import COMPARING, shared

        return shared(module, self.steps) if COMPARING.get() else []

    def note_baselines(self, module: ModuleOp, done: Sequence[ModulePass]) -> None:
        """Record the baseline of a program after the passes `done`, unless no pass or target will read it."""
        from lowering.alone.primary_alone import COMPARING, note_baselines

        if not COMPARING.get():
            return
        self.watcher.at("timing the baseline, the primary device alone")
        with self.watcher.timed("baseline"):
            note_baselines(module, done=done)

    def recompiling(self, module: ModuleOp) -> Recompiled:
        """A function that takes an edit of the machine, applies it to a copy of this program, which has its machine,
        and compiles the copy."""
        read = module.clone()

        def recompiled(edit: Callable[[ModuleOp], None]) -> ModuleOp:
            again = read.clone()
            edit(again)
            self._quietly(again, self.steps)
            return again

        return recompiled

    def restricting(self, module: ModuleOp) -> Callable[[tuple[str, ...]], ModuleOp]:
        """A function that compiles a copy of this program, which has its machine, by the same passes with plans that do
        without some of what `place{without=…}` names, or without quantized numbers. Raises InputError if no pass makes
        such plans."""
        restrict_passes(self.steps, (), self.flags.passes)
        read = module.clone()

        def restricted(without: tuple[str, ...]) -> ModuleOp:
            from lowering.alone.primary_alone import baselines_unread
            from lowering.graph.unquantize import UNQUANTIZED, UnquantizePass

            again = read.clone()
            decisions = tuple(word for word in without if word != UNQUANTIZED)
            first = [UnquantizePass()] if decisions != without else []
            with baselines_unread():
                self._quietly(again, [*first, *restrict_passes(self.steps, decisions, self.flags.passes)])
            return again

        return restricted

    def _quietly(self, module: ModuleOp, steps: Sequence[ModulePass]) -> None:
        """Run passes in place of those of the request, unwatched and without verification."""
        before = self.watcher, self.verifies, self.steps
        self.watcher, self.verifies, self.steps = Watcher(), False, tuple(steps)
        try:
            self.apply(module)
        finally:
            self.watcher, self.verifies, self.steps = before


def _steps(given: Pass | Sequence[Pass], registry: Registry, flag: str) -> list[ModulePass]:
    match given:
        case str():
            return passes_of(given, registry, flag)
        case PassPipeline():
            return list(given.passes)
        case ModulePass():
            return [given]
        case Sequence():
            several = len(given) > 1
            return [
                step
                for number, each in enumerate(given)
                for step in _steps(each, registry, f"{flag}[{number}]" if several else flag)
            ]
        case _:
            what = f"the class {given.__name__}; write {given.__name__}()" if isinstance(given, type) else f"{given!r}"
            raise InputError(f"a pass, or its text as after -p, is expected here, but it is {what}", flag)


def machine_facts(step: ModulePass, module: ModuleOp) -> Hashable | None:
    """All data that a pass reads from a program's machine: the pass has the same result on machines with equal data.
    None if these data are unknown. A pass that reads nothing has `READS_MACHINE = False`; a pass that reads little
    has a method `machine_facts`. The patterns that plugins add to a pass may read anything."""
    from lowering.graph.rewriting import ADDED

    if ADDED.get(step.name):
        return None
    if not getattr(step, "READS_MACHINE", True):
        return ()
    facts: Callable[[ModuleOp], Hashable] | None = getattr(step, "machine_facts", None)
    return None if facts is None else facts(module)


_Key: TypeAlias = tuple[tuple[ModulePass, Hashable], ...]
"""Leading passes, each with the data that it reads from the machine."""


class _Stage(NamedTuple):
    """A program after leading passes, and the forms of this program that are built for machines."""

    module: ModuleOp
    forms: KnownForms


@dataclass
class Variants:
    """A program that is compiled for many requests.

    The results of leading passes are kept, and reused for all machines from which these passes read the same data;
    baselines are kept for equal machines. Each result is equal to that of a `Compiler` for the same request.
    """

    program: ModuleOp
    registry: Registry
    context: Context | None = None
    verifies: bool = True
    """True if a program is verified after each pass."""
    flags: Flags = PYTHON
    """The names of a request's parts in messages."""
    _stages: Kept[_Stage] = field(default_factory=Kept["_Stage"], init=False)
    _baselines: Kept[dict[str, Baseline]] = field(default_factory=Kept["dict[str, Baseline]"], init=False)
    _own: ModuleOp = field(init=False)
    """The machine that the program as read contains."""
    _read: _Stage = field(init=False)
    """The program as read, with the machine of the last request."""

    def __post_init__(self) -> None:
        from lowering.alone.forms import KnownForms

        self._read = _Stage(self.program.clone(), KnownForms())
        self._own = ModuleOp([op.clone() for op in machine_of(self.program)])
        self.context = self.context or LazyContext(self.registry)

    def compiled(self, request: Request) -> ModuleOp:
        """The program, compiled for a request. Errors are those of `Compiler`."""
        compiler = Compiler(request, self.registry, self.context, flags=self.flags, verifies=self.verifies)
        machine = self._own.clone()
        compiler.equip(machine)
        check_symbols(self.program, machine_of(machine))
        read = self._read.module
        _install(machine, read)
        done = compiler.in_baseline(read) if compiler.is_compared(read) else None
        key = _shared_key(compiler.steps, read)
        stage = self._stage(compiler, machine, key)
        early = done is None or len(done) <= len(key)
        module = stage.module.clone()
        _install(machine, module)
        if done is not None and early:
            self._write_baselines(compiler, module, key, done)
        compiler.resume(module, len(key), None if early else done, stage.forms)
        return module

    def _stage(self, compiler: Compiler, machine: ModuleOp, key: _Key) -> _Stage:
        """The program after the leading passes in `key`, computed once for all machines from which these passes read
        the same data; its `hw` ops are those of one of these machines."""
        from lowering.alone.forms import KnownForms

        if not key:
            return self._read

        def made() -> _Stage:
            module = self._stage(compiler, machine, key[:-1]).module.clone()
            _install(machine, module)
            compiler.step(len(key) - 1, module)
            return _Stage(module, KnownForms())

        return self._stages.result(key, made)

    def _write_baselines(self, compiler: Compiler, module: ModuleOp, key: _Key, done: Sequence[ModulePass]) -> None:
        """Record the baseline of each function, from the program after the passes `done`. The baseline is computed once
        for all machines from which it reads the same data."""
        from lowering.alone.forms import known_as
        from lowering.alone.moved import facts_read
        from lowering.alone.primary_alone import COMPARING, alone_or_nothing, note_found
        from lowering.banks.templates import clock_for
        from lowering.graph.allowed_types import allowed, allowing

        if not COMPARING.get():
            return
        clock = clock_for(module)
        types, first = allowed(compiler.steps, clock.machine), key[: len(done)]

        def made() -> dict[str, Baseline]:
            stage = self._stage(compiler, module, first)
            early = stage.module.clone()
            _install(module, early)
            with allowing(types), known_as(stage.forms):
                return alone_or_nothing(early, clock_for(early), done)

        baselines = self._baselines.result((first, types, facts_read(clock)), made)
        with allowing(types):
            note_found(module, clock, baselines)


def _install(machine: ModuleOp, module: ModuleOp) -> None:
    """Replace the `hw` ops of the program `module` by copies of those of `machine`."""
    for op in machine_of(module):
        op.detach()
        op.erase()
    insert_first([op.clone() for op in machine_of(machine)], module)


def _shared_key(steps: Sequence[ModulePass], module: ModuleOp) -> _Key:
    """The leading passes for which `machine_facts` are known, each with these facts."""
    found: list[tuple[ModulePass, Hashable]] = []
    for step in steps:
        facts = machine_facts(step, module)
        if facts is None or not _is_hashable(step):
            break
        found.append((step, facts))
    return tuple(found)


def _is_hashable(step: ModulePass) -> bool:
    try:
        hash(step)
    except TypeError:  # an option of a user's pass is a list, for instance
        return False
    return True

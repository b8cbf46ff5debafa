"""Plugins: files or packages that add dialects, passes, targets, pipelines, policies, devices and sheets.

A file given by `--plugin FILE.py`, or a module named by an entry point of the group `ndpir.plugins`, defines at least
one of

    UNIVERSE = Universe(all_dialects={…}, all_passes={…}, all_targets={…})  # of xdsl.universe: factories by name
    PIPELINES = {"mine": (("canonicalize", "why"), ("my-pass{n=2}", "why"))}  # a pair per step: pass and purpose
    POLICIES = {"mine": my_policy}                       # for place{policy=mine}; see lowering/optimise/policies.py
    PATTERNS = {"canonicalize": [MyPattern()]}           # xDSL's RewritePatterns, by the pass that applies them
    KINDS = {"mine": Kind(MyDevice, fields)}             # kinds of devices; see interp/machine/device.py
    LEVELS = {"mine": MyLevel()}                         # by their dialects' names; see interp/walk/level.py
    SHEETS = "sheets"                                    # a folder next to the file

An entry point of xDSL's own group `xdsl.universe` is loaded too, as in `xdsl-opt`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import RewritePattern
from xdsl.universe import Universe
from xdsl.utils.target import Target

from dialects.dependencies import Kept
from dialects.diagnostics import InputError, note
from dialects.files import digest_of, exists, is_file, is_folder
from ndpir.registry.pipelines import Pipeline

_KNOWN_POINTS = {"xdsl", "ndpir"}
"""Entry points of the group `xdsl.universe` that need no loading: the registry has the universes of xDSL and ndpir
already."""

POINTS = ("xdsl.universe", "ndpir.plugins")
"""The groups of entry points by which installed packages add plugins."""

_modules: set[str] = set()
"""The top-level modules of all loaded plugins."""

_origins: dict[tuple[str, str], str] = {}
"""The path of the plugin that defined a policy, kind of device or level, by kind and name."""


class Names(Protocol):
    """The tables that a plugin extends, as an interface of the registry (ndpir/registry/names.py): factories by
    name."""

    dialects: dict[str, Callable[[], Dialect]]
    passes: dict[str, Callable[[], type[ModulePass]]]
    targets: dict[str, Callable[[], type[Target]]]
    pipelines: dict[str, Pipeline]
    origins: dict[tuple[str, str], str]
    loaded: Kept[Plugin]

    def add(self, universe: Universe) -> None: ...


@dataclass(frozen=True)
class Plugin:
    """The dialects, passes, targets and other entries that one file or package adds; `origin`: the name of that file or
    package in messages."""

    origin: str
    universe: Universe = field(default_factory=Universe)
    pipelines: Mapping[str, Pipeline] = field(default_factory=dict[str, Pipeline])
    policies: Mapping[str, Any] = field(default_factory=dict[str, Any])
    sheets: Path | None = None
    patterns: Mapping[str, Any] = field(default_factory=dict[str, Any])
    kinds: Mapping[str, Any] = field(default_factory=dict[str, Any])
    levels: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def join(self, registry: Names) -> None:
        """Add all names of the plugin to a registry. A plugin that is loaded again, after its file changed, replaces
        its own names. Raises InputError for a name that is already in use."""
        origin = os.path.realpath(self.origin)
        for kind, known, new in (
            ("dialect", registry.dialects, self.universe.all_dialects),
            ("pass", registry.passes, self.universe.all_passes),
            ("target", registry.targets, self.universe.all_targets),
            ("pipeline", registry.pipelines, self.pipelines),
        ):
            for name in sorted(new):
                if name in known and registry.origins.get((kind, name)) != origin:
                    raise InputError(f"the {kind} `{name}` exists already; give it another name", self.origin)
                known.pop(name, None)
                registry.origins[kind, name] = origin
        registry.add(self.universe)
        registry.pipelines.update(self.pipelines)
        if self.policies:
            from lowering.optimise.policies import FORMER, POLICIES
            from lowering.partition.planners import PLANNERS

            for name in self.policies.keys() & {*PLANNERS, *FORMER}:
                raise InputError(f"the policy `{name}` exists already; give it another name", self.origin)
            self._join("policy", POLICIES, self.policies)
        if self.kinds:
            from interp.machine.sheets.fields import KINDS, Kind

            self._join("kind of device", KINDS, self._checked("KINDS", self.kinds, Kind))
        if self.levels:
            from interp.walk.level import LEVELS, Level

            self._join("level", LEVELS, self._checked("LEVELS", self.levels, Level))
        if self.patterns:
            self._join_patterns()
        self.add_sheets()

    def add_sheets(self) -> None:
        """Make the plugin's sheets available by name."""
        if self.sheets is not None:
            load_sheets(str(self.sheets), self.origin)

    def _join(self, kind_name: str, known: dict[str, Any], new: Mapping[str, Any]) -> None:
        """Add the entries `new` to the table `known`. If a plugin is loaded again by a later run in the same process,
        it replaces its own entries. Raises InputError for a name that is already in use."""
        for name, value in new.items():
            if name in known and _origins.get((kind_name, name)) != os.path.realpath(self.origin):
                raise InputError(f"the {kind_name} `{name}` exists already; give it another name", self.origin)
            _origins[kind_name, name] = os.path.realpath(self.origin)
            known[name] = value

    def _checked(self, table: str, entries: Mapping[str, Any], expected: type) -> Mapping[str, Any]:
        """The entries of a table of the plugin. Raises InputError for one of another class."""
        for each in entries.values():
            if not isinstance(each, expected):
                raise InputError(
                    f"{table} of the plugin contains a {type(each).__name__}, but {expected.__name__}s are expected "
                    f"(see {expected.__module__.replace('.', '/')}.py)",
                    self.origin,
                )
        return entries

    def _join_patterns(self) -> None:
        """Add patterns to the passes that apply them; a plugin that is loaded again replaces its own patterns. Raises
        InputError for a pass that accepts no patterns, and for objects that are no patterns."""
        from lowering.graph.rewriting import ADDED

        for name, patterns in self.patterns.items():
            if name not in ADDED:
                known = ", ".join(f"`{each}`" for each in ADDED)
                raise InputError(f"pass `{name}` takes no patterns; PATTERNS may name {known}", self.origin)
            if wrong := [each for each in patterns if not isinstance(each, RewritePattern)]:
                type_name = type(wrong[0]).__name__
                raise InputError(
                    f"PATTERNS of `{name}` contains a {type_name}, but xDSL's RewritePatterns are expected", self.origin
                )
            ADDED[name][os.path.realpath(self.origin)] = tuple(patterns)


def load_plugin(path: str, registry: Names) -> None:
    """Add the names of the plugin in a file to a registry, unless they were added before and the file is unchanged.
    Errors are those of `load_file` and `join`."""
    key = os.path.realpath(path), digest_of(path, "a plugin is a Python file") if is_file(path) else ""

    def joined() -> Plugin:
        plugin = load_file(path)
        plugin.join(registry)
        return plugin

    registry.loaded.result(key, joined).add_sheets()


def load_file(path: str) -> Plugin:
    """The plugin that a Python file defines. Raises InputError for a file that can't be read, and, at the failing line,
    for a file that can't be executed."""
    if not is_file(path):
        raise InputError(
            "the plugin can't be read: "
            f"{'the path is not a file' if exists(path) else 'there is no such file'}; name a "
            "Python file",
            path,
        )
    name = f"ndpir_plugin_{Path(path).stem}"
    _modules.add(name)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError("the file is not a plugin; name a Python file (FILE.py)", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module in sys.modules
    if (folder := str(Path(path).resolve().parent)) not in sys.path:
        sys.path.append(folder)  # so that the plugin can import modules in its folder
    try:
        with redirect_stdout(sys.stderr):  # the plugin's output must not mix with a program
            spec.loader.exec_module(module)
    except SyntaxError as error:
        raise InputError(
            f"the plugin is not valid Python: {error.msg}", f"{path}:{error.lineno or 1}:{error.offset or 1}"
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too
        raise InputError(f"the plugin fails when it is loaded: {in_one_line(error)}", _place_in(path, error)) from error
    return _plugin_of(vars(module), path, Path(path).parent)


def is_any_loaded() -> bool:
    """True if a plugin was loaded in this process."""
    return bool(_modules)


def load_sheets(folder: str, origin: str | None = None) -> None:
    """Make the sheets and machine files of a folder available by name. `origin`: the plugin that names the folder.
    Raises InputError if the folder does not exist."""
    if not is_folder(folder):
        raise InputError(
            "there is no folder of data sheets at this path; name an existing folder",
            folder if origin is None else f"{origin}: {folder}",
        )
    from interp.machine.sheets import add_sheet_folder

    add_sheet_folder(folder)


def installed() -> Iterator[Plugin]:
    """The plugins of installed packages; a plugin that can't be loaded is skipped, and a note is emitted."""
    for point in (point for group in POINTS for point in entry_points(group=group)):
        if point.group == "xdsl.universe" and point.name in _KNOWN_POINTS:
            continue
        try:
            with redirect_stdout(sys.stderr):
                plugin = _of_entry_point(point)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            note(f"the installed plugin {point.name} ({point.value}) is skipped: {in_one_line(error)}")
            continue
        yield plugin


def _of_entry_point(point: EntryPoint) -> Plugin:
    loaded: Any = point.load()
    _modules.add(point.module.partition(".")[0])
    origin = f"{point.name} ({point.value})"
    if isinstance(loaded, Universe):
        return Plugin(origin, loaded)
    path = getattr(loaded, "__file__", None)
    return _plugin_of(loaded.__dict__, origin, Path(path).parent if path else Path())


def _plugin_of(names: Mapping[str, Any], origin: str, folder: Path) -> Plugin:
    wanted: dict[str, type | tuple[type, ...]] = {
        "UNIVERSE": Universe,
        "PIPELINES": Mapping,
        "POLICIES": Mapping,
        "PATTERNS": Mapping,
        "KINDS": Mapping,
        "LEVELS": Mapping,
        "SHEETS": (str, Path),
    }
    found = {name: names[name] for name in wanted if name in names}
    if not found:
        raise InputError(f"this plugin defines none of {', '.join(wanted)}; define at least one", origin)
    for name, value in found.items():
        if not isinstance(value, wanted[name]):
            raise InputError(
                f"{name} of the plugin is of the wrong type, {type(value).__name__}; see ndpir/registry/plugins.py for "
                "the right one",
                origin,
            )
    given = {name.lower(): value for name, value in found.items()}
    if "sheets" in given:
        given["sheets"] = folder / given["sheets"]
    return Plugin(origin, **given)


def failing_plugin_line(error: BaseException) -> str | None:
    """The location of the line of a plugin that was being executed when an error was raised; None if no plugin was
    executed."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_globals.get("__name__", "").partition(".")[0] in _modules:
            return f"{frame.f_code.co_filename}:{line}:1"
    return None


def in_one_line(error: BaseException) -> str:
    """The type and message of an exception on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _place_in(path: str, error: BaseException) -> str:
    """The location of the plugin's innermost line in an error's traceback; the file alone if the traceback contains no
    line of it."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.abspath(frame.filename) == os.path.abspath(path)
    ]
    return f"{path}:{lines[-1]}:1" if lines else path

"""The code that computes the points of a sweep, as entries of records (dialects/dependencies.py): ndpir's own files,
the versions of installed packages, and the contents of all other Python modules and of the files that these open.

Byte code and the tables of parsers that Python and lark keep in `__pycache__` are no entries: they are made from files
that are.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b, sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution, entry_points
from pathlib import Path
from types import ModuleType

from dialects.dependencies import Dependencies, contents_of, is_installed
from ndpir.registry.plugins import POINTS, is_any_loaded

OURS, PACKAGES = "ndpir", "Python and installed packages"
"""The names of the entries of ndpir's own files and of the versions of Python and of installed packages."""
_ROOTS = ("ndpir", "jax", "jaxlib")
"""The distributions whose requirements compute results; the last two read StableHLO's bytecode."""
_CODE = (".py", ".lark", ".so", ".pyd", ".dll", ".dylib")
_AGE_S = 2.0
"""The time in s by which a file may be younger than the list of a package's files that is written when the package is
installed."""

_seen: dict[str, ModuleType] = {}
_modules: dict[str, str] = {}
"""The contents of foreign modules, by path, when they were first seen."""
_heard: dict[str, str] = {}
"""The files that foreign code opened in this process, with their contents: it may keep what it read."""


def note_code(record: Dependencies) -> None:
    """Add the code of this process to the record of what it computed."""
    _heard.update({name: record.found[name] for name in record.heard})
    for name, module in list(sys.modules.items()):
        if _seen.get(name) is not module:
            _seen[name] = module
            if (path := _foreign_file(name, module)) is not None:
                _modules[f"contents {path}"] = contents_of(path)
    for name, state in {**_heard, **_modules, **states_of_code()}.items():
        record.note(name, state)


def _foreign_file(name: str, module: ModuleType) -> str | None:
    """The file of a module that is neither Python's nor ndpir's nor installed; None for other modules, and for modules
    on which no result depends: those of other names than packages that ndpir needs, unless there are plugins."""
    path = getattr(module, "__file__", None)
    if not isinstance(path, str) or module is sys.modules.get("__main__"):
        return None
    if is_installed(path) or path.startswith(_OWN):
        return None
    return path if is_any_loaded() or name.partition(".")[0] in _needed_names() else None


_PACKAGE_ROOT = Path(__file__).parents[2]
_OWN = tuple(str(_PACKAGE_ROOT / name) + os.sep for name in ("dialects", "interp", "lowering", "ndpir"))


@cache
def states_of_code() -> Mapping[str, str]:
    """The entries of ndpir's own code and of installed packages."""
    return {OURS: _own_digest(), PACKAGES: _versions()}


def _own_digest() -> str:
    """A digest of ndpir's own code; sheets and other data are entries of their own."""
    digest = blake2b(digest_size=16)
    for folder in _OWN:
        for path in sorted(Path(folder).rglob("*")):
            if "__pycache__" not in path.parts and path.suffix in _CODE:
                digest.update(f"{path.relative_to(_PACKAGE_ROOT)}\n".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _versions() -> str:
    """The version of Python, and the version of each package that ndpir needs, with the contents of files that were
    changed after their installation."""
    found = [f"{sys.implementation.name} {'.'.join(map(str, sys.version_info[:3]))}"]
    for name, each in sorted(_needed().items()):
        found.append(f"{name} {each.version}{''.join(f' {path}={state}' for path, state in _changed(each))}")
    return "; ".join(found)


@cache
def _needed() -> Mapping[str, Distribution]:
    """The installed distributions that ndpir needs, and those of installed plugins, with all of their requirements, by
    normalised name."""
    found: dict[str, Distribution] = {}
    plugins = {point.dist.name for group in POINTS for point in entry_points(group=group) if point.dist is not None}
    waiting = [*_ROOTS, *sorted(plugins)]
    while waiting:
        name = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            found[key] = each = distribution(name)
        except PackageNotFoundError:
            continue
        required = [text for text in each.requires or () if "extra ==" not in text]
        waiting += [match[0] for text in required if (match := re.match(r"[\w.-]+", text)) is not None]
    return found


@cache
def _needed_names() -> frozenset[str]:
    """The names of the packages and modules that the needed distributions may contain, since they may be installed in
    place: those that they list, or else their own names."""
    names: set[str] = set()
    for name, each in _needed().items():
        listed = (each.read_text("top_level.txt") or "").split()
        names.update(listed or [name.replace("-", "_")])
    return frozenset(names)


def _changed(package: Distribution) -> Iterator[tuple[str, str]]:
    """The code files of a package that differ from those that were installed, each with its contents. Only files that
    are younger than the list of the package's files are read."""
    listed = package.read_text("RECORD")
    if listed is None:
        return
    rows = [(row[0], row[1]) for row in csv.reader(listed.splitlines()) if row[1:] and row[1].startswith("sha256=")]
    base = str(package.locate_file(""))
    times: dict[str, float] = {}
    for path, _ in rows:
        if path.endswith(_CODE) or path.endswith("/METADATA"):
            try:
                status = os.stat(os.path.join(base, path))
                times[path] = max(status.st_mtime, status.st_ctime)
            except OSError:
                times[path] = float("inf")
    installed = max((time for path, time in times.items() if path.endswith("/METADATA")), default=0.0)
    for path, recorded in rows:
        if times.get(path, 0.0) > installed + _AGE_S:
            try:
                data = Path(base, path).read_bytes()
            except OSError:
                yield path, "absent"
                continue
            digest = urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
            if f"sha256={digest}" != recorded:
                yield path, digest

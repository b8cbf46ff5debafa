"""Records of the files on which a result depends: their contents, files that were looked for and not found, and the
names of files in folders.

All reads of this compiler go through `dialects/files.py`, which notes them in the record of the innermost `recording`.
A result may be used again as long as its record is up to date (`Dependencies.outdated`). What is kept in memory and
used again, instead of being read again, is kept together with its record (`Kept`).
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Callable, Generator, Hashable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Generic, TypeAlias, TypeVar, cast
from urllib.parse import unquote, urlsplit

T = TypeVar("T")
Path: TypeAlias = str | os.PathLike[str]

ABSENT, UNREADABLE, FILE, FOLDER, OTHER = STATES = ("absent", "unreadable", "file", "folder", "other")
"""The states of a path without contents: nothing there, no permission; and the kinds of what is there."""
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OURS = tuple(os.path.join(_ROOT, package, "") for package in ("dialects", "interp", "lowering", "ndpir"))
_PACKAGED = "ndpir:"
"""The beginning of names of files of this package, whose folder differs between computers."""
_SETTLED_NS = 50_000_000
_SETTLED_COARSE_NS = 2_500_000_000
"""The age in ns from which the time of a file's last change identifies its contents: longer than the resolution of
these times, which is a timer tick of the system, or two seconds on file systems with whole seconds."""
_MOST_KNOWN = 1 << 14
"""The largest number of digests, and of lists of names, that are remembered."""


@dataclass
class Dependencies:
    """The record of a computation: the states found under the names that it looked up."""

    found: dict[str, str] = field(default_factory=dict[str, str])
    """The digest of the contents, or another state, by aspect and path: `contents mlp.mlir`, `kind a.sheet`, `names
    sheets/*.sheet`, `listing tables`. Entries with other names are those of a caller."""
    heard: set[str] = field(default_factory=set[str])
    """The entries of files that other code than this compiler's opened, for example a plugin's, and of folders that it
    listed."""
    written: set[str] = field(default_factory=set[str])
    """The paths of files that other code opened for writing; what it reads from them later is its own."""
    listings: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The names in folders, by entry; `found` has their digests."""
    changed: str = ""
    """A path whose state changed while it was recorded; empty if there is none."""
    rewritten: str = ""
    """As `changed`, for a path that other code may have changed itself: a file that it opened for reading and for
    writing, or a folder that it listed."""

    def note(self, name: str, state: str) -> None:
        """Add an entry."""
        if self.found.setdefault(name, state) != state:
            if name.startswith(_LISTING) or (name in self.heard and _path_in(name) in _ever_written):
                self.rewritten = _path_in(name)
            else:
                self.changed = _path_in(name)

    def add(self, other: Dependencies) -> None:
        """Add all entries of another record."""
        self.heard |= other.heard
        for name, state in other.found.items():
            self.note(name, state)
        self.written |= other.written
        self.changed = self.changed or other.changed
        self.rewritten = self.rewritten or other.rewritten

    def outdated(self, known: dict[str, str] | None = None) -> str:
        """The path of an entry whose state is no longer that of the record; empty if there is none. `known`: the states
        of entries that were determined before, to which further ones are added; those of a caller's own entries must
        be among them."""
        known = {} if known is None else known
        for name, state in self.found.items():
            if name not in known:
                known[name] = state_of(name)
            if known[name] != state:
                return _path_in(name)
        return ""


_RECORD: ContextVar[Dependencies | None] = ContextVar("dependencies", default=None)


@contextmanager
def recording() -> Generator[Dependencies]:
    """A context in which files that are read or looked up are noted in the record that it yields. At its end, the
    entries are added to the record of the surrounding context."""
    outer, inner = _RECORD.get(), Dependencies()
    token = _RECORD.set(inner)
    try:
        yield inner
    finally:
        _RECORD.reset(token)
        if outer is not None:
            outer.add(inner)


def is_recording() -> bool:
    """True inside of a `recording`."""
    return _RECORD.get() is not None


class Kept(Generic[T]):
    """Results by key, each with the record of its computation. A result is used again only if its record is up to date;
    the record is then added to the current one, as if the result was computed again."""

    def __init__(self, most: int | None = None) -> None:
        """`most`: the largest number of results that are kept; a new one then replaces the least recently used."""
        self.most = most
        self._results: dict[Hashable, tuple[T, Dependencies]] = {}

    def result(self, key: Hashable, made: Callable[[], T]) -> T:
        """The result for a key, computed by `made` unless there is one."""
        if (kept := self._results.pop(key, None)) is not None and not kept[1].outdated():
            self._results[key] = kept
            if (outer := _RECORD.get()) is not None:
                outer.add(kept[1])
            return kept[0]
        with recording() as record:
            result = made()
        self._results[key] = result, record
        if self.most is not None and len(self._results) > self.most:
            del self._results[next(iter(self._results))]
        return result


def note_contents(path: Path, data: bytes) -> None:
    """Note the contents of a file, which were read, in the current record, if there is one."""
    if (record := _RECORD.get()) is not None:
        record.note(f"contents {_named(path)}", digest(data))


def contents(path: Path, most: int | None = None) -> str:
    """The state of a file's contents (`contents_of`), which is noted in the current record, if there is one. The same
    file is looked up once in a record, so that a computation sees one state of it."""
    return _noted("contents", path, lambda: contents_of(path, most))


def kind(path: Path) -> str:
    """The kind of what is at a path (`kind_of`), noted as by `contents`."""
    return _noted("kind", path, lambda: kind_of(path))


def _noted(aspect: str, path: Path, look: Callable[[], str]) -> str:
    if (record := _RECORD.get()) is None:
        return look()
    name = f"{aspect} {_named(path)}"
    if name not in record.found:
        record.found[name] = look()
    return record.found[name]


def names(folder: Path, suffix: str) -> tuple[str, ...]:
    """The names in a folder that end with a suffix (`names_in`), noted as by `contents`."""
    if (record := _RECORD.get()) is None:
        return names_in(folder, suffix)
    name = f"names {_named(folder)}/*{suffix}"
    if name not in record.listings:
        record.listings[name] = found = names_in(folder, suffix)
        record.note(name, _digest_of_names(found))
    return record.listings[name]


def _digest_of_names(found: tuple[str, ...]) -> str:
    return digest("\n".join(found).encode("utf-8", "surrogateescape"))


def state_of(name: str) -> str:
    """The current state for the name of an entry."""
    aspect, _, path = name.partition(" ")
    path = os.path.join(_ROOT, path.removeprefix(_PACKAGED)) if path.startswith(_PACKAGED) else path
    if aspect == "contents":
        return contents_of(path)
    if aspect == "kind":
        return kind_of(path)
    if name.startswith(_LISTING):
        return listing_of(path)
    folder, _, suffix = path.rpartition("/*")
    return _digest_of_names(names_in(folder, suffix))


def kind_of(path: Path) -> str:
    """The kind of what is at a path: FILE, FOLDER, OTHER, ABSENT, or UNREADABLE."""
    found = _status(path)
    return found if isinstance(found, str) else _kind(found)


def _status(path: Path) -> os.stat_result | str:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except (OSError, ValueError):  # no permission, or no valid path
        return UNREADABLE


def _kind(status: os.stat_result) -> str:
    return FILE if stat.S_ISREG(status.st_mode) else FOLDER if stat.S_ISDIR(status.st_mode) else OTHER


def version_of(path: Path) -> Hashable | None:
    """A key that differs after the file or folder at a path has changed; None shortly after a change, when a further
    change might leave the key equal. Raises OSError if there is nothing at the path."""
    return _version(os.stat(path))


def _version(status: os.stat_result) -> Hashable | None:
    changed = max(status.st_mtime_ns, status.st_ctime_ns)
    is_coarse = changed % 1_000_000_000 == 0
    if time.time_ns() - changed < (_SETTLED_COARSE_NS if is_coarse else _SETTLED_NS):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


_digests: dict[Hashable, str] = {}
_listings: dict[Hashable, tuple[str, ...]] = {}


def _remember(known: dict[Hashable, T], version: Hashable | None, value: T) -> T:
    if version is not None:
        if len(known) > _MOST_KNOWN:
            known.clear()
        known[version] = value
    return value


def digest(data: bytes) -> str:
    """The digest of some bytes, as text."""
    return blake2b(data, digest_size=16).hexdigest()


def contents_of(path: Path, most: int | None = None) -> str:
    """The digest of a file's contents, which are read again only after they may have changed; the kind of anything that
    is no file. `most`: the size in bytes above which the file is not read, but UNREADABLE."""
    status = _status(path)
    if isinstance(status, str):
        return status
    if (found := _kind(status)) != FILE:
        return found
    if most is not None and status.st_size > most:
        return UNREADABLE
    version = _version(status)
    if version is not None and (known := _digests.get(version)) is not None:
        return known
    token = UNHEARD.set(True)
    try:
        hashed = blake2b(digest_size=16)
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                hashed.update(block)
    except OSError:
        return UNREADABLE
    finally:
        UNHEARD.reset(token)
    return _remember(_digests, version, hashed.hexdigest())


def names_in(folder: Path, suffix: str) -> tuple[str, ...]:
    """The names in a folder that end with a suffix, in alphabetical order; none if the folder can't be read."""
    token = UNHEARD.set(True)
    try:
        version = version_of(folder or ".")
        known = None if version is None else (version, suffix)
        if known is not None and known in _listings:
            return _listings[known]
        found = tuple(sorted(name for name in os.listdir(folder or ".") if name.endswith(suffix)))
    except (OSError, ValueError):
        return ()
    finally:
        UNHEARD.reset(token)
    return _remember(_listings, known, found)


def listing_of(folder: Path) -> str:
    """The digest of all names in a folder, except those that come and go while Python and databases run; the kind of
    anything that is no folder."""
    if (found := kind_of(folder)) != FOLDER:
        return found
    return _digest_of_names(tuple(name for name in names_in(folder, "") if not _PASSING.fullmatch(name)))


def _named(path: Path) -> str:
    """A path as the name of an entry: relative to the folder of this package if it is inside of one of its parts."""
    name = os.fspath(path)
    return _PACKAGED + name[len(_ROOT) + 1 :] if name.startswith(_OURS) else name


def _path_in(name: str) -> str:
    aspect, _, path = name.partition(" ")
    return path if aspect in ("contents", "kind", "names", "listing") else name


# Files that other code opens, such as plugins and libraries, are heard by an audit hook (PEP 578).

_LISTING = "listing "
_PASSING = re.compile(r"__pycache__|.*-(wal|shm|journal)|\..*\.\d+-\d+\.tmp")
"""Names of byte code, of files that exist while a database is open, and of drafts (dialects/files.py)."""
_DEVICES, _SHARED = (os.path.join(os.sep, *names, "") for names in (("dev",), ("dev", "shm")))
_SPECIAL = (*(os.path.join(os.sep, name, "") for name in ("proc", "sys", "dev/fd")), f"{_DEVICES}std")
"""The beginnings of paths that show the state of the system, or name open files."""
UNHEARD: ContextVar[bool] = ContextVar("unheard", default=False)
"""True while this compiler opens a file itself, which it notes itself."""
_hears: list[bool] = []
"""Not empty after the hook was added."""
_ever_written: set[str] = set()
"""The paths that other code opened for writing in this process."""


def hear_all_opens() -> None:
    """From now on, note in records also the files that other code than this compiler's opens for reading in Python, and
    the folders that it lists, except those of Python and of installed packages. This can't be undone, as Python has no
    way to remove a hook."""
    if not _hears:
        _hears.append(True)
        installed_folders()  # the hook must not be the first to import a module
        sys.addaudithook(_hear)


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event not in _EVENTS or (record := _RECORD.get()) is None or UNHEARD.get():
        return
    path = arguments[0]
    if event == "open":
        if isinstance(path, str | bytes):  # otherwise the number of an open file
            _hear_open(record, os.fsdecode(path), *_directions(arguments[1], arguments[2]))
    elif event == "sqlite3.connect":
        if isinstance(path, str | bytes | os.PathLike):
            _hear_database(record, os.fsdecode(cast("str", path)))
    elif path is None or isinstance(path, str | bytes):
        _hear_listing(record, os.curdir if path is None else os.fsdecode(path))


_EVENTS = frozenset({"open", "sqlite3.connect", "os.listdir", "os.scandir"})


def _hear_open(record: Dependencies, name: str, reads: bool, writes: bool) -> None:
    """Note a file that is about to be opened, with its contents until then; what the same code reads from it after it
    has opened it for writing is its own."""
    is_own = name in record.written
    if writes:
        record.written.add(name)
        _ever_written.add(name)
    if not reads or is_own or _is_unrecorded(name) or f"{os.sep}__pycache__{os.sep}" in name:
        return
    if name in sys.path or name in sys.argv[:1]:  # Python looks for archives of modules there
        return
    entry = f"contents {name}"
    if entry not in record.found and (state := contents_of(name)) not in (FOLDER, OTHER):
        record.note(entry, state)
        record.heard.add(entry)


def _hear_database(record: Dependencies, name: str) -> None:
    """Note the file of an SQLite database, which may be an address, and the file of its latest changes."""
    if name in ("", ":memory:"):
        return
    for each in (name, unquote(urlsplit(name).path)) if name.startswith("file:") else (name,):
        for path in (each, f"{each}-wal"):
            _hear_open(record, path, True, True)


def _hear_listing(record: Dependencies, name: str) -> None:
    # Imports look for modules in all folders of sys.path; the modules themselves are heard when they are opened.
    if _is_unrecorded(os.path.join(name, "")) or sys._getframe(2).f_code.co_filename.startswith(_IMPORTS):  # pyright: ignore[reportPrivateUsage]
        return
    if (entry := f"{_LISTING}{name}") not in record.found:
        record.note(entry, listing_of(name))
        record.heard.add(entry)


_IMPORTS = ("<frozen importlib", os.path.join(os.path.dirname(os.__file__), "importlib", ""))
"""The beginnings of the files of Python's import system."""


def _is_unrecorded(name: str) -> bool:
    """True for paths of this package, of Python, of installed packages, and of devices and the state of the system."""
    if name.startswith((*_OURS, *_SPECIAL)) or is_installed(name):
        return True
    return name.startswith(_DEVICES) and not name.startswith(_SHARED) and kind_of(name) != FILE


def _directions(mode: object, flags: object) -> tuple[bool, bool]:
    """Two truth values for the mode and flags of a file that is opened: it is read, from its present contents; it is
    written."""
    if isinstance(mode, str):
        writes = any(letter in mode for letter in "wxa+")
        return "r" in mode or "a+" in mode.replace("b", "").replace("t", ""), writes
    number = flags if isinstance(flags, int) else 0
    is_new = number & os.O_TRUNC or (number & os.O_CREAT and number & os.O_EXCL)
    writes = number & (os.O_WRONLY | os.O_RDWR | os.O_TRUNC)
    return not (number & os.O_WRONLY or is_new), bool(writes)


@cache
def installed_folders() -> tuple[str, ...]:
    """The folders of Python's own modules and of installed packages, each with a separator at its end."""
    import sysconfig

    paths: Mapping[str, str] = sysconfig.get_paths()
    found = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib") if name in paths]
    found += [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]
    return tuple(dict.fromkeys(os.path.join(each, "") for path in found for each in (path, os.path.realpath(path))))


def is_installed(path: str) -> bool:
    """True for the path of a module of Python itself, or of an installed package."""
    return path.startswith(installed_folders())

"""Files: writes are atomic (the whole file or none); reads are limited in size, never block, and are noted as
dependencies of the result (dialects/dependencies.py); a file that a text names is read only from the text's folder.

All files are read and looked up by the functions of this module, all names in a folder are listed by it, and all files
are written by it; a test says so.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import BytesIO
from typing import BinaryIO, cast

from dialects import dependencies
from dialects.dependencies import ABSENT, FILE, FOLDER, STATES, UNHEARD, Path, digest, note_contents
from dialects.diagnostics import FileName, InputError, note

_DESCRIPTOR = re.compile(r"/dev/fd/(\d{1,9})|/proc/(?:self|\d+)/fd/(\d{1,9})")
_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_IN_PLACE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV}
"""The numbers of the errors that mean that a folder does not permit creating or replacing a file (e.g. a mounted file);
the existing file is then overwritten instead."""


_GRANTED: ContextVar[tuple[str, ...]] = ContextVar("granted", default=())
_DISCARDS: ContextVar[Callable[[str], str] | None] = ContextVar("discards", default=None)


@contextmanager
def granting(folders: Sequence[Path]) -> Generator[None]:
    """A context in which any text may name files in these folders, and not only in its own: the user names them by
    `--allow-read`."""
    before = _GRANTED.get()
    grant(folders)
    try:
        yield
    finally:
        _GRANTED.set(before)


def grant(folders: Sequence[Path]) -> None:
    """Let any text name files in these folders from now on, in the current context."""
    _GRANTED.set((*_GRANTED.get(), *(os.fspath(folder) for folder in folders)))


@contextmanager
def discarding(reason: Callable[[str], str] | None) -> Generator[None]:
    """A context in which what is written to a file is discarded, with a note, if `reason` returns a reason for its
    path; it returns an empty text for a file to write, and may raise InputError. None: all files are written."""
    token = _DISCARDS.set(reason)
    try:
        yield
    finally:
        _DISCARDS.reset(token)


def _why_discarded(path: Path) -> str:
    reason = _DISCARDS.get()
    return "" if reason is None or descriptor_of(path) is not None else reason(os.fspath(path))


def unwritable(error: OSError | UnicodeError) -> str:
    """The reason why a file can't be written, as the rest of a sentence that starts with the file's name."""
    if isinstance(error, UnicodeEncodeError):
        return f"can't be written: {error.object[error.start]!r} is no character of {error.encoding} text"
    if isinstance(error, UnicodeError):
        return f"can't be written: {error}"
    return f"can't be written: {reason_of(error)}"


def reason_of(error: Exception) -> str:
    """The reason why a file can't be read or written, as a part of a sentence: the system's in lower case, or that of
    the error itself."""
    reason = error.strerror if isinstance(error, OSError) else None
    return reason.lower() if reason else str(error)


def check_writable(path: Path | None) -> None:
    """Raise InputError, at the path, if `written` can't write the file; None is stdout. No file is changed."""
    if path is None:
        return
    place = FileName(path)
    if not place:
        raise InputError("the name of an output file is empty; give a file name")
    if "\0" in place:
        raise InputError(
            "can't be written: a file name can't contain a NUL character", FileName(place.replace("\0", "\\0"))
        )
    if descriptor_of(place) is not None or _why_discarded(place):
        return
    target = os.path.realpath(place)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        raise InputError("can't be written: it is a folder", place)
    if not os.path.isdir(folder):
        shown = folder if os.path.islink(place) else os.path.dirname(place)
        raise InputError(f"can't be written: there is no folder {shown}", place)
    if not os.access(target if os.path.exists(target) else folder, os.W_OK):
        raise InputError("can't be written: permission denied", place)


def write_text(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a text as the whole contents of a file. Raises InputError, at the path, on failure; an existing file is
    then unchanged."""
    try:
        data = text.encode(encoding)
    except UnicodeError as error:
        raise InputError(unwritable(error), FileName(path)) from error
    with written(path) as file:
        file.write(data)


@contextmanager
def written(path: Path) -> Generator[BinaryIO]:
    """A binary file to write to, which is renamed to `path` only when the body of the context has completed.

    Until then the bytes are in a temporary file in the same folder, so that neither an error nor an interrupt leaves a
    partial file or destroys the old contents. The file keeps its permissions and owner; a new one gets those of the
    umask; a symbolic link is kept and its target is written. Anything but a regular file (a pipe, a terminal,
    /dev/null) is written directly, and so is a file in a folder in which no file can be created. Raises InputError, at
    the path, if the file can't be written, e.g. on a full disk.
    """
    check_writable(path)
    try:
        if (descriptor := descriptor_of(path)) is not None:
            sys.stdout.flush()
            with os.fdopen(os.dup(descriptor), "wb") as file:
                yield file
        elif why := _why_discarded(path):
            note(f"this file is not written: {why}", FileName(path))
            yield BytesIO()
        elif os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "wb") as file:
                yield file
        else:
            with _temporary_next_to(os.path.realpath(path)) as file:
                yield file
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise InputError(unwritable(error), FileName(path)) from error


@contextmanager
def _temporary_next_to(target: str) -> Generator[BinaryIO]:
    try:
        old = os.stat(target)
    except FileNotFoundError:
        old = None
    try:
        draft, descriptor = _draft(target)
    except OSError as error:
        if old is None or error.errno not in _IN_PLACE:
            raise
        with open(target, "wb") as file:
            yield file
        return
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        if old is not None:
            with suppress(OSError):  # only root may give a file away
                if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
                    os.chown(draft, old.st_uid, old.st_gid)
            os.chmod(draft, stat.S_IMODE(old.st_mode))
        _put(draft, target, old is not None)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def _draft(target: str) -> tuple[str, int]:
    """Create a temporary file in the target's folder, with the permissions of the umask; returns (name, descriptor)."""
    folder, name = os.path.split(target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    for attempt in range(1000):
        draft = os.path.join(folder, f".{name[:40]}.{os.getpid()}-{attempt}.tmp")
        with suppress(FileExistsError):
            return draft, os.open(draft, flags, 0o666)
    raise FileExistsError(errno.EEXIST, "its folder is full of drafts of it that were left behind")


def _put(draft: str, target: str, exists: bool) -> None:
    """Rename the temporary file `draft` to the target; copy its contents into the target if it can't be renamed."""
    try:
        os.replace(draft, target)
    except OSError as error:
        if not exists or error.errno not in _IN_PLACE:
            raise
        with open(draft, "rb") as source, open(target, "wb") as file:
            while chunk := source.read(1 << 20):
                file.write(chunk)
        os.unlink(draft)


def descriptor_of(path: Path) -> int | None:
    """The descriptor of the open file that a path such as /dev/stdout denotes, since opening the path again would
    overwrite the file's contents; None for other paths."""
    name = os.fspath(path)
    if name in _STANDARD:
        return _STANDARD[name]
    if (found := _DESCRIPTOR.fullmatch(name)) is None or not (digits := found[1] or found[2]):
        return None
    if found[2] and not name.startswith(("/proc/self/", f"/proc/{os.getpid()}/")):
        return None
    return int(digits)


def open_file(path: Path) -> BinaryIO:
    """A file of any kind opened for reading bytes, for example a pipe. Raises OSError if it can't be opened."""
    if dependencies.is_recording() and dependencies.kind_of(path) == FILE:
        dependencies.contents(path)
    token = UNHEARD.set(True)
    try:
        return open(path, "rb")
    finally:
        UNHEARD.reset(token)


def open_regular(path: Path) -> BinaryIO:
    """A file opened for reading bytes. Raises OSError if it is not a regular file, without
    blocking on a pipe or a device."""
    if dependencies.is_recording():
        dependencies.contents(path)
    return _opened(path)


def _opened(path: Path) -> BinaryIO:
    token = UNHEARD.set(True)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    finally:
        UNHEARD.reset(token)
    try:
        if (kind := _kind(os.fstat(descriptor).st_mode)) is not None:
            raise OSError(errno.EINVAL, f"it is {kind}, not a file", os.fspath(path))
        return cast("BinaryIO", os.fdopen(descriptor, "rb"))
    except BaseException:
        os.close(descriptor)
        raise


def exists(path: Path) -> bool:
    """True if there is something at a path, of any kind."""
    return dependencies.kind(path) != ABSENT


def is_file(path: Path) -> bool:
    """True if there is a regular file at a path."""
    return dependencies.kind(path) == FILE


def is_folder(path: Path) -> bool:
    """True if there is a folder at a path."""
    return dependencies.kind(path) == FOLDER


def names_in(folder: Path, suffix: str) -> tuple[str, ...]:
    """The names in a folder that end with a suffix, in alphabetical order; none if the folder can't be read."""
    return dependencies.names(folder, suffix)


def digest_of(path: Path, advice: str, most: int = 1 << 26) -> str:
    """A digest of a file's contents, as part of the key of what is derived from them. Errors are those of
    `read_regular`."""
    found = dependencies.contents(path, most)
    return digest(read_regular(path, advice, most)) if found in STATES else found


def version_of(path: Path) -> object:
    """A key that differs after a file has changed, for large files, of which `digest_of` would take long; None shortly
    after a change. Raises OSError if there is no file."""
    if dependencies.is_recording():
        dependencies.contents(path)
    return dependencies.version_of(path)


def why_not_read(path: str, text: str, also: Sequence[Path] = ()) -> str:
    """The reason why the file at `path` is not read because the file `text` names it, as the rest of a sentence that
    starts with the path; empty if it may be read, as it is in the folder of that text, in a granted folder, or in one
    of the folders `also`.

    The author of a text must not choose which other files are read. Links are resolved; the text itself may be a link.
    """
    if (folder := _folder_to_grant(path, text, also)) is None:
        return ""
    where = "the current folder" if text.startswith("<") else f"the folder of {text}, which names it"
    return f"is outside of {where}; to read it nevertheless, add --allow-read {folder} (in Python: ndpir.allow_read)"


def _folder_to_grant(path: str, text: str, also: Sequence[Path] = ()) -> str | None:
    folders = [os.path.dirname(text) or ".", os.path.dirname(os.path.realpath(text)), *_GRANTED.get(), *also]
    written = os.path.dirname(path) or "."
    drives = {os.path.splitdrive(os.path.abspath(folder))[0].lower() for folder in folders}
    if os.path.splitdrive(os.path.abspath(path))[0].lower() not in drives:
        return written  # possibly on another computer, to which nothing is sent
    real = os.path.realpath(path)
    if any(_is_in(real, os.path.realpath(folder)) for folder in folders):
        return None
    return written if os.path.realpath(written) == os.path.dirname(real) else os.path.dirname(real)


def why_not_followed(path: str, folder: str, also: Sequence[Path] = ()) -> str:
    """The reason why the file at `path`, which was found by its name in `folder`, is not read because it is a link out
    of that folder, of the granted folders, and of the folders `also`; as the rest of a sentence that starts with the
    path. Empty if it may be read.

    Who made the folder must not choose which other files are read.
    """
    real, home = os.path.realpath(path), os.path.realpath(folder or ".")
    if _is_in(real, home) or any(_is_in(real, os.path.realpath(each)) for each in (*_GRANTED.get(), *also)):
        return ""
    return (
        f"is a link out of its folder, to {real}; put the file itself there, or add --allow-read "
        f"{os.path.dirname(real)} (in Python: ndpir.allow_read)"
    )


def _is_in(path: str, folder: str) -> bool:
    try:
        return os.path.commonpath([folder, path]) == folder
    except ValueError:  # on different drives
        return False


def companion_path(path: str, location: str) -> str:
    """The path of a companion file of the model `path`: `location`, relative to the model's folder. The file and the
    model may be links.

    Raises ValueError, with the rest of a sentence that starts with the location, for a path outside of that folder and
    of the folders that the user granted.
    """
    if not location or "\0" in location:
        raise ValueError("is no file beside the model")
    found = os.path.join(os.path.dirname(path), location)
    if (folder := _folder_to_grant(found, path)) is None:
        return found
    if os.path.isabs(location) or ".." in location.replace("\\", "/").split("/"):
        raise ValueError(f"is no file beside the model; to read it nevertheless, add --allow-read {folder}")
    real = os.path.realpath(found)
    raise ValueError(
        f"is a link out of the model's folder, to {real}; put the file itself there, or add --allow-read {folder}"
    )


def _kind(mode: int) -> str | None:
    """The kind of a file (folder, pipe, …) in words, by its mode; None if it is a regular file."""
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return None if stat.S_ISREG(mode) else kinds.get(stat.S_IFMT(mode), "a device")


def read_stream(stream: BinaryIO, name: str, most: int, advice: str) -> bytes:
    """All bytes of a stream. Raises InputError, at `name`, if there are more than `most`; `advice` is appended to the
    message."""
    data = stream.read(most + 1)
    if len(data) > most:
        raise InputError(f"the input is larger than {most >> 20} MiB; {advice}", FileName(name))
    return data


def read_regular(path: Path, advice: str, most: int = 1 << 26) -> bytes:
    """The bytes of a regular file. Raises OSError as `open_regular` does, and InputError as `read_stream` does."""
    try:
        with _opened(path) as file:
            data = read_stream(file, os.fspath(path), most, advice)
    except (OSError, ValueError, InputError):
        if dependencies.is_recording():
            dependencies.contents(path)
        raise
    note_contents(path, data)
    return data


def read_text(path: Path, advice: str, unreadable: str, undecodable: str, most: int = 1 << 26) -> str:
    """The text of a regular file. Raises InputError: at the file, with the reason in place of `{}` in `unreadable`; as
    `read_stream` does; and as `decoded` does, with the message `undecodable`."""
    try:
        data = read_regular(path, advice, most)
    except (OSError, ValueError) as error:
        raise InputError(unreadable.format(reason_of(error)), FileName(path)) from None
    return decoded(data, path, undecodable)


def decoded(data: bytes, path: Path, undecodable: str) -> str:
    """The text in UTF-8 that a file contains, without a byte order mark. Raises InputError at the first byte that is no
    such text, with this byte in place of `{}` in the message `undecodable`."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = data.count(b"\n", 0, error.start) + 1, error.start - data.rfind(b"\n", 0, error.start)
        met = undecodable.format(f"0x{data[error.start]:02x}")
        raise InputError(met, f"{os.fspath(path)}:{line}:{column}") from None

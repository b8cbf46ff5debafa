"""Diagnostics as printed on stderr: `file:line:column: error: sentence`, the source line and a caret."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass, replace
from traceback import walk_tb
from typing import Literal, TypeAlias

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, MultipleSpansParseError, ParseError
from xdsl.utils.lexer import Span

from dialects.diagnostics import FileName, InputError
from dialects.files import reason_of
from dialects.locations import place_of
from dialects.text.printable import printable, printable_lines
from ndpir.diagnostics.verify import InvalidProgram, sentence, with_op_name

Severity: TypeAlias = Literal["error", "warning", "note"]

_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+)$", re.DOTALL)


@dataclass(frozen=True)
class Diagnostic:
    """One diagnostic. `place` is `file:line:column`, a file or an imported node's name; `width` is the width of the
    marked text."""

    severity: Severity
    message: str
    place: str | None = None
    width: int = 1

    @property
    def position(self) -> tuple[str, int, int] | None:
        """The file, line and column of the diagnostic; None if its location has no line and column."""
        found = _PLACE.match(self.place or "")
        return (found["file"], int(found["line"]), int(found["column"])) if found else None

    def in_file(self, name: str) -> Diagnostic:
        """The diagnostic with the file `name` added to its location, if the location is empty or only the name of a
        node."""
        if not self.place:
            return replace(self, place=name)
        if self.position or self.place == name or isinstance(self.place, FileName) or os.path.exists(self.place):
            return self
        return replace(self, place=f"{name}:{self.place}")

    def text(self, sources: dict[str, str]) -> str:
        """The diagnostic as printed. `sources`: the texts of files, by name, from which the source line may be
        quoted."""
        place, message = (
            printable(_ends(text, most)) for text, most in ((self.place or "ndp-opt", 500), (self.message, 5000))
        )
        head = f"{place}: {self.severity}: {message}\n"
        if (position := self.position) is None or (source := sources.get(position[0])) is None:
            return head
        _, line, column = position
        lines = source.split("\n")
        if not 1 <= line <= len(lines):
            return head
        quoted = lines[line - 1].rstrip("\r")
        if len(quoted) > 500:  # a machine-written line; the location suffices
            return head
        # Tabs are kept before the caret, so that it is aligned with the text on a terminal.
        before, marked = quoted[: column - 1], quoted[column - 1 : column - 1 + self.width]
        indent = "".join("\t" if char == "\t" else " " for char in printable_lines(before))
        caret = "^" + "~" * (len(printable_lines(marked)) - 1)
        return f"{head}{printable_lines(quoted)}\n{indent}{caret}\n"


def _ends(text: str, most: int) -> str:
    """The text, shortened to its beginning and end if it has more than `most` characters."""
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


def diagnostics_of(error: BaseException) -> list[Diagnostic] | None:
    """The diagnostics for an error in the input; None for an internal error."""
    match error:
        case InvalidProgram():
            return [Diagnostic("error", each.message, each.place) for each in error.errors]
        case ParseError():
            return [_of_span("error", _parse_message(error), error.span), *_references(error)]
        case InputError():
            return [Diagnostic("error", error.message, error.place or _blamed(error))]
        case DiagnosticException():
            op = getattr(error, "blamed", None)
            message = str(error)
            return [
                Diagnostic(
                    "error",
                    with_op_name(op, message) if isinstance(op, Operation) else sentence(message),
                    _blamed(error),
                )
            ]
        case OSError() if error.filename is not None:
            return [of_unreadable(error, str(error.filename))]
        case RecursionError():
            message = "the program is nested too deeply here; flatten it, or divide it into functions"
            return [Diagnostic("error", message, _current_place(error))]
        case MemoryError():
            detail = f" ({sentence(str(error))})" if str(error) else ""
            message = f"this needs more memory than the computer has{detail}; use smaller tensors"
            return [Diagnostic("error", message, _current_place(error))]
        case _:
            return None


def of_unreadable(error: OSError | ValueError, path: str) -> Diagnostic:
    """The diagnostic for an unreadable file: `FILE: error: can't be read: …`."""
    reasons = {errno.ENOENT: "there is no such file", errno.EISDIR: "it is a folder", errno.EBADF: "it is closed"}
    number = error.errno if isinstance(error, OSError) else None
    reason = reasons.get(number or 0) or reason_of(error)
    return Diagnostic("error", f"can't be read: {reason}", path)


def of_undecodable(error: UnicodeDecodeError, name: str, lines_above: int = 0) -> Diagnostic:
    """The diagnostic for text that is not UTF-8, at the first invalid byte."""
    before = error.object[: error.start]
    line = before.count(b"\n") + 1 + lines_above
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    byte = error.object[error.start]
    return Diagnostic(
        "error",
        f"byte 0x{byte:02X} is not UTF-8 text; ndp-opt reads text and ONNX models (.onnx)",
        f"{name}:{line}:{column}",
    )


def _of_span(severity: Severity, message: str, span: Span[str] | Span[bytes]) -> Diagnostic:
    place = span.get_location()
    return Diagnostic(severity, message, f"{place.file}:{place.line}:{place.col}", max(1, span.end - span.start))


def _references(error: ParseError) -> list[Diagnostic]:
    if not isinstance(error, MultipleSpansParseError):
        return []
    return [_of_span("note", sentence(text or error.ref_text or "see here"), span) for span, text in error.refs]


def _parse_message(error: ParseError) -> str:
    message = sentence(error.msg)
    if message == "Could not parse entire input!":
        met = str(error.span.text) if error.span.text else "the text's end"
        advice = "delete it, since it closes no bracket" if met in "})]>" else "write an op as `%x = DIALECT.NAME …`"
        return f"an op is expected here, but `{met}` is met; {advice}"
    return message[:1].lower() + message[1:] if message[1:2].islower() else message


def _blamed(error: BaseException) -> str | None:
    op = getattr(error, "blamed", None)
    return place_of(op) if isinstance(op, Operation) else None


def _current_place(error: BaseException) -> str | None:
    """The location of the op being processed when an error was raised: the last op in a local variable of the
    traceback."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        for value in frame.f_locals.values():
            if isinstance(value, Operation) and (place := place_of(value)) is not None:
                return place
    return None

"""JSON documents of answers: their structure, the version of this structure, and their text.

A document has the version `schema`, the name of the target that wrote it, and the answer, or, for a target whose
product is a file format, the file's text (`text`) or bytes (`base64`). Its schema is generated from the dataclasses
(`ndpir/pages/schemas.py`).
"""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast

from dialects.text.printable import printable

A = TypeVar("A")
Version = Literal["ndpir-answers/1"]
VERSION: Version = "ndpir-answers/1"
"""The version of the form of all documents. It changes if a field is removed, or if its meaning changes; new fields may
be added at any time."""


@dataclass(frozen=True)
class Document(Generic[A]):
    """The JSON document of a target that writes an answer."""

    schema: Version
    target: str
    """The target that wrote the document."""
    answer: A


@dataclass(frozen=True)
class TextDocument:
    """The JSON document of a target that writes a file in a text format."""

    schema: Version
    target: str
    """The target that wrote the document, named after the file format."""
    text: str


@dataclass(frozen=True)
class BytesDocument:
    """The JSON document of a target that writes a file in a binary format."""

    schema: Version
    target: str
    """The target that wrote the document, named after the file format."""
    base64: str
    """The file's bytes in base64."""


def document_of_answer(target: str, answer: object) -> str:
    """The JSON text of the document with an answer, a frozen dataclass."""
    return json_text(Document(VERSION, target, answer))


def document_of_file(target: str, content: str | bytes) -> str:
    """The JSON text of the document with a file's content."""
    if isinstance(content, bytes):
        return json_text(BytesDocument(VERSION, target, b64encode(content).decode()))
    return json_text(TextDocument(VERSION, target, content))


def json_text(document: object) -> str:
    """The JSON text of plain data and dataclasses, indented, with a newline at the end. Hidden characters in strings
    are escapes, though JSON requires that for controls only."""
    import msgspec

    text = msgspec.json.encode(document, enc_hook=_plain).decode()
    lines = msgspec.json.format(text, indent=1).split("\n")
    return "\n".join(printable(line, _in_json) for line in lines) + "\n"


def _in_json(char: str) -> str:
    return json.dumps(char)[1:-1]


def _plain(value: Any) -> object:
    """The Python number that is equal to a numpy number."""
    import numpy as np

    if isinstance(value, np.generic):
        return cast(object, value.item())
    raise TypeError(f"an answer contains a {type(value).__name__}, which JSON has no form for")

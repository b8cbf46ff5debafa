"""HTML and SVG: the only place where text becomes markup.

`markup` inserts values into a template, which must be a literal of the code: the type checker refuses a template that
is put together from texts. Names and other texts are escaped; only `Markup`, the result of other templates, is not.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any, LiteralString, TypeAlias

from dialects.text.printable import printable_lines


class Markup(str):
    """Text that is HTML or SVG, in which all names are escaped already."""

    __slots__ = ()


Value: TypeAlias = Markup | str | int | float
NOTHING = Markup()


def escaped(text: str) -> Markup:
    """A text as markup that shows it, in an element or a quoted attribute. Hidden characters are shown as escapes: XML
    forbids controls, and others reverse the text around them."""
    return Markup(escape(printable_lines(text)))


def markup(template: LiteralString, *values: Value, **named: Value) -> Markup:
    """The template with a value in each of its braces, as by `str.format`; a text is escaped unless it is `Markup`."""
    return Markup(template.format(*map(_safe, values), **{name: _safe(value) for name, value in named.items()}))


def _safe(value: Value) -> Value:
    return value if isinstance(value, Markup | int | float) else escaped(value)


def joined(parts: Iterable[Markup], between: LiteralString = "") -> Markup:
    """The parts one after another, with `between` between them."""
    return Markup(between.join(parts))


def own_file(package: LiteralString, name: LiteralString) -> Markup:
    """A style sheet or a script of ours, from a file in a package."""
    return Markup(files(package).joinpath(name).read_text("utf-8"))


def json_data(data: Any) -> Markup:
    """Data as JSON inside of a `script` element; it contains neither tags nor comments, which would end the element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def page_policy(style: Markup, script: Markup = NOTHING) -> Markup:
    """The element that states the content security policy of a page: it loads nothing, and has no style sheet and no
    script but these two, which are named by their hashes; so attributes with scripts or styles have no effect."""
    scripts = f"script-src {_hash(script)}; " if script else ""
    policy = f"default-src 'none'; {scripts}style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    return Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">')


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

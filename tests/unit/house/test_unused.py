"""Checks that no public name of the four packages is there for tests alone: code of the packages, benchmarks, examples
or documents must use it.

Names are compared as words, without types: a method counts as used if any code reads an attribute of the same name.
What is reached in other ways counts as used: what a decorator registers, a class with a `name`, by which it is looked
up, the fields of a tuple, which are unpacked, and names in documents or as whole strings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]
FLOORS = ("dialects", "interp", "lowering", "ndpir")
READERS = (*FLOORS, "benchmarks", "examples")
PLAIN = {
    "abstractmethod", "cache", "cached_property", "classmethod", "contextmanager", "dataclass", "lru_cache", "overload",
    "property", "runtime_checkable", "staticmethod", "total_ordering",
}  # fmt: skip
"""Decorators that register nothing."""
REACHED = {
    "xDSL reads these members of classes of ops and attributes": (
        "get_patterns", "get_canonicalization_patterns", "irdl_options", "parse_parameter", "parse_parameters",
        "print_parameter", "print_parameters",
    ),
    "xDSL's parser calls these methods": ("resolve_operand", "to_type"),
    "xDSL's driver calls these methods, and reads these attributes": (
        "register_all_arguments", "register_all_dialects", "register_all_frontends", "register_all_passes",
        "register_all_targets", "available_frontends", "available_passes", "available_targets", "setup_pipeline",
    ),
    "OR-Tools calls it for each solution": ("on_solution_callback",),
    "these tuples hold modules, whose functions are registered when the modules are imported": (
        "BUILT_IN_MODULES", "CONVERTER_MODULES", "HANDLERS", "WRITER_MODULES",
    ),
}  # fmt: skip
"""Names that are used although no code of the project reads them."""

STRING = re.compile(r"""(?s)#[^\n]*|(?:\b([rbfRBF]{1,2}))?(\"""|'''|"|')((?:\\.|(?!\2).)*)\2""")
"""A comment, or a string with its prefix, quotation marks and text."""
PATH = re.compile(r"\w[\w.:]*")
"""The text of a string that is a name or a path of names."""
EXPORTS = re.compile(r"^__all__ = \[[^\]]*\]", re.MULTILINE)
IMPORT = re.compile(r"^ *(?:from [\w.]+ )?import (?:\([^)]*\)|.*)", re.MULTILINE)
CASE = re.compile(r"^ +case .*", re.MULTILINE)
ANNOTATION = re.compile(r": ([^\n=:]+) = ")
READ = re.compile(r"(\.?)\b([A-Za-z_]\w*)\b(?! *=[^=])")
"""A word that nothing is assigned to, and the dot before it if it is an attribute."""
LINE = re.compile(
    r"( *)(?:(def|class) (\w+)(.*)|@([\w.]+)|(self\.)?([a-zA-Z]\w*)(?:: [^=]+(?: = .*)?| = .*)$|[^\s)}\]].*)", re.DOTALL
)
"""A line of code: its indentation, and a `def` or `class` with its name and the rest, a decorator, or the attribute or
name that is assigned to."""
SPAN = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
"""Code in a document."""


class Definition(NamedTuple):
    """A public name that lines `line` to `end` define, in the class `owner` or, if this is empty, in a module."""

    line: int
    end: int
    owner: str
    name: str


class _Open(NamedTuple):
    """A `def` or `class` whose body has not ended yet. `wanted`: its name must be used; `fields`: the names of its
    fields must be, too."""

    indent: int
    line: int
    name: str
    is_class: bool
    wanted: bool
    fields: bool


def plain(text: str, found: list[str]) -> str:
    """Return code in the same lines without comments, imports and the texts of strings, apart from format strings, and
    add the texts of strings that are names to `found`. An import is a use only if it gives a name another name; an
    annotation of what is assigned is a use, and so is a keyword in a pattern, of an attribute."""

    def emptied(match: re.Match[str]) -> str:
        prefix, inner = match[1] or "", match[3]
        if inner is None or "f" in prefix.lower():
            return inner or ""
        if PATH.fullmatch(inner):
            found.append(inner)
        return '""' + "\n" * inner.count("\n")

    def renamed(match: re.Match[str]) -> str:
        return " ".join(re.findall(r"\w+(?= as )", match[0])) + "\n" * match[0].count("\n")

    code = IMPORT.sub(renamed, STRING.sub(emptied, EXPORTS.sub("", text)))
    return ANNOTATION.sub(r" = ,\1,", CASE.sub(lambda case: re.sub(r"(\w+)=", r".\1 ", case[0]), code))


def definitions(code: str) -> Iterator[Definition]:
    """Yield the public names that plain code defines."""
    opened: list[_Open] = []
    registers = False
    for number, line in enumerate([*code.splitlines(), "0"], 1):
        if (match := LINE.match(line)) is None:
            continue
        indent, (kind, name, rest, decorator, of_self, assigned) = len(match[1]), match.groups()[1:]
        while opened and opened[-1].indent >= indent:
            done, owner = opened.pop(), opened[-1] if opened else None
            if done.wanted and not done.name.startswith("_") and (owner is None or owner.is_class):
                yield Definition(done.line, number - 1, owner.name if owner else "", done.name)
        if decorator:
            registers |= decorator.rpartition(".")[2] not in PLAIN
        elif kind:
            fields = not registers and "(NamedTuple" not in rest
            opened.append(_Open(indent, number, name, kind == "class", not registers, fields))
            registers = False
        elif assigned and not assigned.startswith("_"):
            inner = opened[-1] if opened else None
            if of_self:
                yield Definition(number, number, "self", assigned)
            elif inner is None:
                yield Definition(number, number, "", assigned)
            elif inner.is_class and assigned == "name":
                opened[-1] = inner._replace(wanted=False)
            elif inner.is_class and inner.fields and indent == inner.indent + 4:
                yield Definition(number, number, inner.name, assigned)


def unused(root: Path) -> list[str]:
    """Return a sentence for each public name of the packages that only tests use."""
    found: list[tuple[Path, str, Definition]] = []
    texts = [name for names in REACHED.values() for name in names]
    attributes, words = defaultdict[str, set[Path]](set), defaultdict[str, set[Path]](set)
    for path in [path for folder in READERS for path in sorted((root / folder).rglob("*.py"))]:
        code = plain(path.read_text(encoding="utf-8"), texts)
        for dot, name in set(READ.findall(code)):
            (attributes if dot else words)[name].add(path)
        if path.relative_to(root).parts[0] in FLOORS:
            found += [(path, code, each) for each in definitions(code)]
    for path in [*root.glob("*.md"), *(root / "docs").rglob("*.md")]:
        texts += SPAN.findall(path.read_text(encoding="utf-8"))
    texts += [path.read_text(encoding="utf-8") for path in root.glob("pyproject.toml")]
    named = set(re.findall(r"\w+", "\n".join(texts)))

    def is_used(each: Definition, path: Path, code: str) -> bool:
        users = attributes[each.name] | (set[Path]() if each.owner else words[each.name])
        if not users or users != {path} or each.line == each.end:
            return bool(users)
        lines = code.splitlines()
        beside = "\n".join([*lines[: each.line - 1], *lines[each.end :]])
        return any(name == each.name and (dot or not each.owner) for dot, name in READ.findall(beside))

    return [
        f"{path.relative_to(root)}:{each.line}: {each.name} is used by tests only"
        for path, code, each in found
        if each.name not in named and not is_used(each, path, code)
    ]


@pytest.mark.slow
def test_no_public_name_is_there_for_tests_alone() -> None:
    found = unused(ROOT)
    assert not found, "\n".join([*found, "delete these names and their tests, or move what tests need into tests/"])


CODE = '''"""The words of a docstring, such as told and Lonely, are no uses."""
from dataclasses import dataclass
__all__ = ["Lonely", "used"]
LIMIT: Kind = 3
Kind = int
@dataclass
class Lonely:
    told: int  # told
    asked: int = 0
    def again(self) -> "Lonely":
        self.marked = 1
        return self.again().shown("pass")
    @property
    def shown(self) -> int:
        return 0
class Named(Lonely):
    name = "pass"
@register(LIMIT)
def by_decorator() -> None:
    return {"looked": used}
def used() -> None:
    match Lonely(told=1):
        case Lonely(asked=1):
            print(f"{Lonely.field}")
def looked() -> None:
    """Reached by its name."""
def documented(told: int) -> None: ...
'''


def test_names_that_nothing_uses_are_found(tmp_path: Path) -> None:
    for name, text in {
        "lowering/a.py": CODE,
        "tests/test_a.py": "a.told()",
        "docs/a.md": "told, `documented()`",
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    assert [each.split(" ")[0:2] for each in unused(tmp_path)] == [
        ["lowering/a.py:8:", "told"],
        ["lowering/a.py:11:", "marked"],
        ["lowering/a.py:10:", "again"],
    ]

"""Writer of the JSON schemas of all answers (`docs/schema/`) and of the page on them (`docs/json.md`), from the
dataclasses: `python -m ndpir.pages.schemas`. With `--check`, it lists outdated files, and exits with status 1 if
there are any."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from ndpir.pages.generated import run
from ndpir.registry.docstrings import first_sentence
from ndpir.registry.universe import TARGETS, load_target
from ndpir.reports.document import VERSION, BytesDocument, Document, TextDocument
from ndpir.reports.target import AnswerTarget


def answers() -> dict[str, type]:
    """The class of the answer by the target's name, for each target that has an answer."""
    found: dict[str, type] = {}
    for name in TARGETS:
        for base in getattr(load_target(name), "__orig_bases__", ()):
            if get_origin(base) is AnswerTarget:
                found[name] = get_args(base)[0]
    return found


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON schema of each target's document, by the target's name. The schema `file` is for all targets that write
    other file formats."""
    found = {name: schema_of(f"-t {name}{{json}}", Document[cls], cls) for name, cls in answers().items()}
    found["json"]["title"] = "-t json"
    forms = [schema_of(word, cls, cls) for word, cls in (("text", TextDocument), ("bytes", BytesDocument))]
    title = "-t NAME{json} of a target that writes a file format"
    return found | {"file": {**_head(title), "oneOf": forms}}


def _head(title: str) -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}


def schema_of(title: str, document: Any, answer: type) -> dict[str, Any]:
    """The schema of a document, with the docstrings of the dataclasses and of their fields as descriptions."""
    (root,), components = msgspec.json.schema_components([document], ref_template="#/$defs/{name}")
    classes = {cls.__name__: cls for cls in classes_in(answer)}
    for name, component in components.items():
        cls = classes.get(name)
        component.pop("title", None)
        if cls is None:
            continue
        component["description"] = " ".join((cls.__doc__ or "").split())
        for field, words in field_docstrings(cls).items():
            component["properties"][field]["description"] = words
    (top,) = (components.pop(name) for name in list(components) if root["$ref"] == f"#/$defs/{name}")
    return {**_head(title), **top, "$defs": components}


def classes_in(type_: Any) -> Iterator[type]:
    """The dataclasses to which a type refers, each once, in the order of their first use."""
    seen: set[type] = set()

    def visit(each: Any) -> Iterator[type]:
        if isinstance(each, type) and is_dataclass(each):
            if each not in seen:
                seen.add(each)
                yield each
                for inner in get_type_hints(each).values():
                    yield from visit(inner)
        else:
            for inner in get_args(each):
                yield from visit(inner)

    return visit(type_)


@cache
def field_docstrings(cls: type) -> dict[str, str]:
    """The docstrings of a dataclass's fields, by field: string literals that follow the fields in the source."""
    (body,) = (node.body for node in ast.parse(dedent(inspect.getsource(cls))).body if isinstance(node, ast.ClassDef))
    found: dict[str, str] = {}
    for node, after in pairwise(body):
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(after, ast.Expr)):
            continue
        if isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            found[node.target.id] = " ".join(after.value.value.split())
    return found


def page() -> str:
    """The page `docs/json.md` on the documents and their fields."""
    found = answers()
    others = ", ".join(f"`{name}`" for name in TARGETS if name not in found)
    targets = [
        f"| `-t {name if name == 'json' else f'{name}{{json}}'}` | [`{cls.__name__}`](#{cls.__name__.lower()}) | "
        f"{first_sentence(cls.__doc__)} | [{name}.json](schema/{name}.json) |"
        for name, cls in found.items()
    ]
    lines = [
        *_OPENING.format(version=VERSION, others=others).strip("\n").splitlines(),
        "",
        "## Targets",
        "",
        "| target | answer | | schema |",
        "|---|---|---|---|",
        *targets,
        "",
        "## Fields",
        "",
    ]
    shown: dict[type, None] = {}
    for cls in found.values():
        shown |= dict.fromkeys(classes_in(cls))
    for cls in shown:
        lines += [
            f"### {cls.__name__}",
            "",
            " ".join((cls.__doc__ or "").split()),
            "",
            "| field | type | |",
            "|---|---|---|",
        ]
        words = field_docstrings(cls)
        for field in fields(cls):
            kind = str(field.type).replace("|", "\\|")
            lines.append(f"| `{field.name}` | `{kind}` | {words.get(field.name, '').replace('|', chr(92) + '|')} |")
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


_OPENING = """
# Answers as JSON

Every target takes the option `json`: `-t timeline{{json}}` writes the rows and totals of `-t timeline` for programs,
and `-t json` writes all answers of a run in one document. Text and JSON are written from the same data, so that their
numbers are equal; the text shows five digits, JSON all. `limit` and `by`, which shorten a table, do not apply to JSON.

```console
$ ndp-opt examples/mlp.mlir -p offload -t json > run.json
$ python3 -c 'import json; run = json.load(open("run.json"))["answer"]; print(run["summary"]["comparison"]["speed_up"])'
3.2167099826871444
```

A document is an object with the fields

- `schema`: the version of the form of all documents, now `{version}`. It changes if a field is removed or its
  meaning changes; fields may be added at any time.
- `target`: the target that wrote it.
- `answer`: the answer, with the fields [below](#fields). A field's unit is the end of its name: `_ns`, `_nj` (nJ),
  `_bytes`, `_per_s`. What is unknown, or does not apply, is null. Numbers are finite: `inf` and `nan` among the results
  of a program are text.

A target whose product is a file format ({others}) writes its file instead of
`answer`: in `text`, or in `base64` if the format is binary ([file.json](schema/file.json)).

The sections of `-t json` are null if they do not apply to the program; `absent` then has the reason.
`-t 'json{{sections=summary,banks}}'` computes only these.

This page and the schemas are written by `python -m ndpir.pages.schemas` from the dataclasses; tests check that they
are current, and that documents agree with their schemas.
"""


def files() -> dict[str, str]:
    """The content of each file, by its path in the checkout."""
    found = {f"docs/schema/{name}.json": json.dumps(schema, indent=1) + "\n" for name, schema in schemas().items()}
    return found | {"docs/json.md": page()}


if __name__ == "__main__":
    run("ndpir.pages.schemas", files, "docs/schema")

"""Example programs and models that come with the package, by name: `example:mobilenet_v2`.

In a checkout they are in the folder `examples` at its root. In a wheel they are in `ndpir/example_files`, into which
setup.py copies the example files of at most 5 MB.
"""

from __future__ import annotations

import json
import os
from itertools import takewhile
from pathlib import Path

from dialects.diagnostics import InputError, note
from dialects.text.columns import aligned
from dialects.text.suggestions import hint
from ndpir.registry.docstrings import first_sentence

PREFIX = "example:"
FOLDER = "examples/"
"""The folder of the examples in a checkout."""
_PACKAGE = Path(__file__).resolve().parents[1]
FOLDERS = (_PACKAGE / "example_files", _PACKAGE.parent / "examples")
"""The folders that may contain the examples; the first existing folder is used."""
SUFFIXES = (".mlir", ".onnx")
CONFIGS = "configs"
"""The folder of configs of language models among the examples."""


def examples() -> dict[str, Path]:
    """The paths of all examples by name; a name is the file's path in the folder, without its file ending and without
    `models/` and `configs/`."""
    folder = next((each for each in FOLDERS if (each / "models").is_dir()), None)
    if folder is None:
        return {}
    files = [path for path in folder.rglob("*") if path.suffix in SUFFIXES]
    found = sorted(path.relative_to(folder) for path in (*files, *(folder / CONFIGS).glob("*.json")))
    return {_name(path): folder / path for path in found if path.parts[0] != "plugin"}  # those need their plugin


def _name(path: Path) -> str:
    return path.with_suffix("").as_posix().removeprefix("models/").removeprefix(f"{CONFIGS}/")


def resolved(path: str) -> str:
    """The path of the example NAME for `example:NAME`. The path of an example in a checkout (`examples/mlp.mlir`) is
    replaced by the path of this example in the package, with a note, if there is no such file. Any other path is
    returned unchanged. Raises InputError for an unknown name."""
    if not path.startswith((PREFIX, FOLDER)) or os.path.exists(path):
        return path
    known = examples()
    if path.startswith(FOLDER):
        file = Path(path.removeprefix(FOLDER))
        name = _name(file)
        if name not in known or known[name].suffix != file.suffix:
            return path
        note(f"there is no `{path}` here; the example of this name in the package is read ({PREFIX}{name})")
        return str(known[name])
    name = path.removeprefix(PREFIX)
    if name not in known:
        raise InputError(f"there is no example `{name}`" + hint(name, [*known], "--list-examples names all"))
    return os.path.relpath(known[name]) if known[name].is_relative_to(Path.cwd()) else str(known[name])


def listed() -> str:
    """One line of text for each example: its name and a description, which is the first sentence of the file's leading
    comment."""
    rows = ((f"{PREFIX}{name}", _about(path)) for name, path in examples().items())
    return "".join(f"{line}\n" for line in aligned(rows))


def _about(path: Path) -> str:
    size = f"{path.stat().st_size / 1000:.0f} kB"
    if path.suffix == ".onnx":
        return f"ONNX model without weights' values, {size}"
    if path.suffix == ".json":
        stated = json.loads(path.read_text(encoding="utf-8"))
        return f"config of a language model, of family {stated['model_type']}"
    with path.open(encoding="utf-8") as file:
        comment = " ".join(line.removeprefix("//").strip() or "\n\n" for line in takewhile(_is_comment, file))
    return first_sentence(comment) if comment else f"program, {size}"


def _is_comment(line: str) -> bool:
    return line.startswith("//")

"""Places in a user's model: paths of modules, and lines of its source, from the metadata of exported programs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os.path import basename

_FRAME = re.compile(r'File "([^"\n]*)", line (\d+)')
_OF_TORCH = ("-packages/torch/", "-packages\\torch\\", "/pytorch/torch/", "<eval_with_key>", "<string>")


def user_line(trace: str) -> str:
    """The innermost line of a stack trace that is not PyTorch's own, as `model.py:31`; "" if there is none."""
    for file, line in reversed(_FRAME.findall(trace)):
        if not any(part in file for part in _OF_TORCH):
            return f"{basename(file)}:{line}"
    return ""


def module_in_text(stack: str) -> str:
    """The path of the innermost module of a serialised stack of modules: `KEY,PATH,TYPE;KEY,PATH,TYPE`."""
    last = stack.rpartition(";")[2]
    parts = last.split(",")
    return module_path(parts[1:2] or [""])


def module_path(paths: Iterable[str]) -> str:
    """The last of the paths of modules, written as in `state_dict`: `layers.0.mlp` for `L['self'].layers[0].mlp`."""
    found = ""
    for path in paths:
        found = path
    found = re.sub(r"^L\['?self'?\]\.?|^L__self___?|^self\.?", "", found)
    return re.sub(r"\[['\"]?([^'\"\]]*)['\"]?\]", r".\1", found).replace("_modules.", "").strip(".")

"""Small models of many families, of which `tests/data/configs/` holds configs and results, and the files in which such
models are published.

`python -m tests.unit.configs.models` makes the results anew; it needs torch and transformers beside ndpir.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialects import graph as g
from dialects.element_types import element_type_of
from interp.numerics.safetensors import ELEMENT_TYPES, SMALL_TYPES
from interp.numerics.weights import weight_array
from interp.walk.run import run_module
from ndpir.frontends.configs import Config, Group, build, read_config
from ndpir.frontends.configs.weights import Weights

Array: TypeAlias = NDArray[Any]
EXPECTED = Path(__file__).parents[2] / "data" / "configs" / "expected.json"
STEPS = (7, 1, 1, 3)
"""The new tokens of two sequences, step by step: a prompt, two steps of decoding, and some tokens at once."""
IDS = np.arange(1, 1 + 2 * sum(STEPS)).reshape(2, -1) * 7 % 23
"""The ids of these tokens."""

CASES_FILE = EXPECTED.with_name("cases.json")
CASES: dict[str, dict[str, Any]] = json.loads(CASES_FILE.read_text())
"""Configs by family and variant; the first word of the name is the `model_type`."""


def config_of(case: str) -> dict[str, Any]:
    """The content of a case's config file."""
    return {"model_type": case.split()[0], **CASES[case]}


def logits_of(config: Config, source: Weights | None = None) -> list[Array]:
    """The logits of each step, those of each sequence's last token: [sequences, vocabulary]."""
    found: list[Array] = []
    caches: list[Array] = []
    start = 0
    for new in STEPS:
        module = build(config, [Group(2, new, start)], dtype="f32", source=source)
        logits, *caches = run_module(module, [IDS[:, start : start + new], *caches])
        found.append(logits)
        start += new
    return found


def published_weights(config: Config) -> dict[str, Array]:
    """The weights that a step of a model draws from seeds, as a file of the model would hold them: those of experts one
    by one."""
    found: dict[str, Array] = {}
    for op in build(config, [Group(1, 2)], dtype="f32").walk():
        if not isinstance(op, g.WeightOp):
            continue
        names, array = op.sym.data.split(" + "), weight_array(op)
        if "*" not in op.sym.data:
            found[names[0]] = array
            continue
        for number, matrix in enumerate(array):
            parts = np.split(matrix, len(names))
            found |= {name.replace("*", str(number)): part for name, part in zip(names, parts, strict=True)}
    return found


def write_model(folder: Path, config: Mapping[str, Any], weights: Mapping[str, Array], parts: int = 1) -> Path:
    """Write a model as it is published: its config, and its weights in one safetensors file or several with an index;
    returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    if parts == 1:
        (folder / "model.safetensors").write_bytes(safetensors(weights))
        return folder
    names = sorted(weights)
    files = {name: f"model-{number % parts:05}.safetensors" for number, name in enumerate(names)}
    for file in set(files.values()):
        (folder / file).write_bytes(safetensors({name: weights[name] for name in names if files[name] == file}))
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": files}))
    return folder


def safetensors(arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a safetensors file that holds some arrays."""
    words = {word: name for name, word in (ELEMENT_TYPES | SMALL_TYPES).items()}
    header: dict[str, Any] = {}
    data = b""
    for name, array in arrays.items():
        begin, data = len(data), data + np.ascontiguousarray(array).tobytes()
        dtype = words[str(element_type_of(array.dtype))]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def _of_transformers(folder: Path, case: str) -> list[Array]:
    """The logits of each step as transformers computes them."""
    torch, transformers = import_module("torch"), import_module("transformers")
    way = "sdpa" if case == "falcon rw" else "eager"  # eager attention adds the positions of that model twice
    load = transformers.AutoModelForCausalLM.from_pretrained
    model, info = load(folder, torch_dtype=torch.float32, output_loading_info=True, attn_implementation=way)
    if any(info.values()):
        raise ValueError(f"{case}: {info}")
    found: list[Array] = []
    cache: Any = None
    start = 0
    with torch.no_grad():
        for new in STEPS:
            ids = torch.tensor(IDS[:, start : start + new])
            made = model.eval()(ids, past_key_values=cache, use_cache=True)
            cache = made.get("past_key_values", made.get("cache"))
            found.append(made.logits[:, -1].numpy())
            start += new
    return found


def main(cases: Sequence[str]) -> None:
    """Write the results of transformers for some cases, or all, and print how far ours are from them."""
    known: dict[str, Any] = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    for case in cases or CASES:
        with TemporaryDirectory() as name:
            config = read_config(config_of(case))
            folder = write_model(Path(name), config_of(case), published_weights(config))
            wanted = _of_transformers(folder, case)
        worst = max(
            float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(logits_of(config), wanted, strict=True)
        )
        print(f"{case}: {worst:.1e}")
        known[case] = [[[float(f"{each:.7g}") for each in row] for row in logits] for logits in wanted]
    rows = (f"{json.dumps(case)}: {json.dumps(known[case], separators=(',', ':'))}" for case in CASES if case in known)
    EXPECTED.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""The step of a model that a user asks for by the sizes that ONNX models have, too: `--batch`, `--cache-length`, `--dim
sequence=N`."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import FileName, InputError, note
from dialects.text.suggestions import hint
from ndpir.frontends.configs.attention import Group
from ndpir.frontends.configs.config import Config
from ndpir.frontends.configs.reading import config_path, read_config
from ndpir.frontends.configs.step import build
from ndpir.frontends.configs.weights import weights_beside
from ndpir.frontends.sizes import Sizes

USUAL_CACHE = 2047
"""The number of tokens in caches where no size is given: a step of decoding with a context of 2,048 tokens."""
ROLES = ("batch", "sequence", "cache")
"""The dimensions of a step."""


def read_step(path: str, sizes: Sizes) -> ModuleOp:
    """One step of the model whose config file is at `path`, or in this folder, on one group of sequences.

    `batch` sequences (1) get `sequence` new tokens each (1) behind `cache` ones. A prompt, with more than one new
    token, has nothing cached if no number is given; a step of one token has `USUAL_CACHE`, or as many as fit the
    context of the model. Weights in safetensors files beside the config are those of the step; without such files they
    are drawn from seeds. Raises InputError for a config that is not understood, and for sizes that the model does not
    have.
    """
    config = read_config(path)
    group = _group(config, sizes)
    return build(config, [group], source=weights_beside(config_path(path)))


def _group(config: Config, sizes: Sizes) -> Group:
    place = FileName(config.file)
    for name in sizes.dims:
        if name not in ROLES:
            known = f"known are {', '.join(ROLES)}"
            raise InputError(f"a model read from its config has no dimension `{name}`{hint(name, ROLES, known)}", place)
    if sizes.shapes or sizes.opaque:
        name = "opaque" if sizes.opaque else "shape"
        raise InputError(f"`{name}` does not apply to a model read from its config; leave it out", place)
    batch = sizes.dims.get("batch", 1) if sizes.batch is None else sizes.batch
    new = sizes.dims.get("sequence", 1)
    cached = sizes.dims.get("cache") if sizes.cache_length is None else sizes.cache_length
    if cached is None:
        cached = min(USUAL_CACHE, config.context - 1) if new == 1 else 0
        if new == 1:
            note(
                f"a step of one token behind {cached:,} cached ones is built (--cache-length N changes that; --dim "
                "sequence=N makes it a prompt)",
                place,
            )
    return Group(batch, new, cached)

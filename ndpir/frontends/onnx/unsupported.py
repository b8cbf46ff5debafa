"""Ways to avoid operators of ONNX that can't be imported: for each operator of the standard, what to write instead."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from dialects.text.suggestions import hint

_HANDLER = "a plugin can add a handler (ndpir/frontends/onnx/operators.py)"
_OUTSIDE = "compute it outside of the model, and make its result an input (onnx.utils.extract_model cuts a model)"
RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")
"""Operators of the main domain that draw random numbers."""
_TABLE: tuple[tuple[str, str], ...] = (
    ("SequenceMap", "export without control flow: with loops over sequences unrolled"),
    (
        "ConcatFromSequence Optional OptionalGetElement OptionalHasElement SequenceAt SequenceConstruct SequenceEmpty "
        "SequenceErase SequenceInsert SequenceLength SplitToSequence",
        "export with tensors in place of sequences and optional values",
    ),
    (
        "ImageDecoder RegexFullMatch StringConcat StringNormalizer StringSplit TfIdfVectorizer",
        "decode images and texts outside of the model, and make their tensors its inputs",
    ),
    (
        "NonMaxSuppression Unique",
        f"the shape of its result depends on the data; {_OUTSIDE}, or end the model before it",
    ),
    (
        " ".join(RANDOM),
        "its numbers differ from run to run; draw them outside of the model, and make them an input",
    ),
    (
        "MelWeightMatrix",
        "it usually depends on shapes alone: fold constants in the model (torch.onnx.export does, and onnxslim), or "
        "store its result as an initialiser",
    ),
    ("Det MaxRoiPool", _OUTSIDE),
)
"""Operators of the main domain, each group with a way to avoid them."""
WAYS: Mapping[str, str] = {name: way for names, way in _TABLE for name in names.split()}


@dataclass(frozen=True)
class Unsupported:
    """An operator that can't be imported. `text`: its name in messages, with the version if that is the reason;
    `version`: the opset to which a model can be converted so that it can be imported, in words."""

    domain: str
    name: str
    text: str
    version: str = ""
    may_be_opaque: bool = False
    """True if an opaque op can stand for it, where its result types are known."""


def ways_out(missing: Collection[Unsupported], known: Sequence[str]) -> str:
    """The ways to avoid unsupported operators, as parts of a sentence. `known`: the supported operators."""
    found: dict[str, list[str]] = {}
    for each in missing:
        if each.version:
            way = f"convert the model to {each.version} (onnx.version_converter)"
        elif each.domain not in ("", "ai.onnx"):
            way = _OF_DOMAINS.get(each.domain, f"export with operators of the main domain alone, or {_HANDLER}")
        else:
            way = WAYS.get(each.name) or f"the standard has no `{each.text}`{hint(each.name, known, _HANDLER)}"
        found.setdefault(way, []).append(each.text)
    if len(found) == 1:
        return next(iter(found))
    return "; ".join(f"{', '.join(dict.fromkeys(names))}: {way}" for way, names in found.items())


_OF_DOMAINS: Mapping[str, str] = {
    "com.microsoft": "it comes from onnxruntime's optimizer: take the model before that, as the framework exported it",
    "ai.onnx.ml": f"it is one of classical machine learning: {_OUTSIDE}",
    "ai.onnx.preview.training": "export the model alone; training steps come from JAX (docs/jax.md)",
    "ai.onnx.training": "export the model alone; training steps come from JAX (docs/jax.md)",
    "ai.onnx.preview": "export with operators of the main domain (MatMul, Softmax, Attention)",
}

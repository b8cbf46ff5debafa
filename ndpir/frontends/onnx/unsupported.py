"""Ways to avoid operators of ONNX that can't be imported: for each operator of the standard, what to write instead."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from onnx import ModelProto

from dialects.text.suggestions import hint

EXPANDED: Mapping[str, tuple[str, ...]] = {
    "Celu": ("Elu",),
    "DepthToSpace": (),
    "Elu": (),
    "HardSigmoid": (),
    "HardSwish": ("HardSigmoid",),
    "LeakyRelu": (),
    "LogSoftmax": (),
    "MeanVarianceNormalization": (),
    "Mish": ("Softplus",),
    "PRelu": (),
    "ReduceL1": (),
    "ReduceL2": (),
    "ReduceLogSum": (),
    "ReduceLogSumExp": (),
    "ReduceSumSquare": (),
    "Selu": (),
    "Softplus": (),
    "Softsign": (),
    "SpaceToDepth": (),
    "SwiGLU": ("Swish",),
    "Swish": (),
    "ThresholdedRelu": (),
}
"""The operators that ONNX defines by supported operators, each with the others of this table that its definition
contains."""

_HANDLER = "a plugin can add a handler (ndpir/frontends/onnx/operators.py)"
_OUTSIDE = "compute it outside of the model, and make its result an input (onnx.utils.extract_model cuts a model)"
_BY_HAND = "write it in the framework as {}, and export again"
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
        "Compress NonMaxSuppression NonZero Unique",
        f"the shape of its result depends on the data; {_OUTSIDE}, or end the model before it",
    ),
    (
        "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike",
        "its numbers differ from run to run; draw them outside of the model, and make them an input",
    ),
    (
        "AffineGrid BlackmanWindow EyeLike HammingWindow HannWindow MelWeightMatrix Range Size",
        "it usually depends on shapes alone: fold constants in the model (torch.onnx.export does, and onnxslim), or "
        "store its result as an initialiser",
    ),
    (
        "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
        "end the model before its loss; training steps come from JAX (docs/jax.md)",
    ),
    ("DFT Det STFT", _OUTSIDE),
    ("GridSample MaxRoiPool MaxUnpool RoiAlign DeformConv Col2Im", _OUTSIDE),
    ("Acosh Asinh Atanh Cosh Sinh", _BY_HAND.format("Exp, Log and Sqrt")),
    ("Acos Asin Atan", f"{_HANDLER}, which builds graph.atan2"),
    (
        "ArgMax ArgMin TopK Hardmax",
        f"its result are positions or a choice among elements; {_OUTSIDE}, or end the model before it",
    ),
    ("BitCast", _OUTSIDE),
    ("CausalConvWithState", _BY_HAND.format("Concat, Conv and Slice")),
    ("CenterCropPad", _BY_HAND.format("Slice and Pad")),
    ("ConvTranspose", _BY_HAND.format("Pad between elements (Reshape, Concat with zeros) and Conv")),
    ("CumProd", _BY_HAND.format("Log, CumSum and Exp, if all elements are positive")),
    ("Einsum", _BY_HAND.format("Transpose, Reshape and MatMul")),
    ("GlobalLpPool LpNormalization LpPool", _BY_HAND.format("Abs, Pow and sums or averages (ReduceSum, AveragePool)")),
    ("GroupNormalization", _BY_HAND.format("Reshape, ReduceMean, Sub, Mul, Sqrt and Div")),
    ("InstanceNormalization", _BY_HAND.format("ReduceMean, Sub, Mul, Sqrt and Div")),
    ("Mean", _BY_HAND.format("Sum and Div")),
    ("OneHot", _BY_HAND.format("Gather from an identity matrix")),
    ("Resize Upsample", _BY_HAND.format("Reshape and Expand for a whole factor, or MatMul with a matrix of weights")),
    ("ReverseSequence", _BY_HAND.format("Gather with the reversed positions")),
    (
        "Scatter",
        "it is deprecated: convert the model to opset 11 or newer (onnx.version_converter), which has ScatterElements",
    ),
    ("RotaryEmbedding", _BY_HAND.format("Slice, Mul, Sub, Add and Concat")),
    ("Shrink", _BY_HAND.format("Where and comparisons")),
    ("TensorScatter", _BY_HAND.format("ScatterND, or Concat for a cache that grows")),
    ("Tile", _BY_HAND.format("Reshape and Expand")),
    ("Trilu", _BY_HAND.format("Mul or Where with a constant mask")),
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


def ways_out(missing: Collection[Unsupported], model: ModelProto, known: Sequence[str]) -> str:
    """The ways to avoid unsupported operators, as parts of a sentence. `known`: the supported operators."""
    local = {(function.domain, function.name) for function in model.functions}
    found: dict[str, list[str]] = {}
    expanded: dict[str, None] = {}
    for each in missing:
        domain, name = each.domain, each.name
        if each.version:
            way = f"convert the model to {each.version} (onnx.version_converter)"
        elif (domain, name) in local:
            way = "expand the model's own functions (onnx.inliner.inline_local_functions)"
        elif domain not in ("", "ai.onnx"):
            way = _OF_DOMAINS.get(domain, f"export with operators of the main domain alone, or {_HANDLER}")
        elif name in EXPANDED:
            expanded |= dict.fromkeys((name, *EXPANDED[name]))
            continue
        else:
            way = WAYS.get(name) or f"the standard has no `{each.text}`{hint(name, known, _HANDLER)}"
        found.setdefault(way, []).append(each.text)
    if expanded:
        names = ", ".join(f'("", "{name}")' for name in expanded)
        way = (
            "expand it by ONNX's definition, with its attributes stated (model = "
            "onnx.shape_inference.infer_shapes(model); "
            f"onnx.inliner.inline_selected_functions(model, [{names}], inline_schema_functions=True))"
        )
        found[way] = [each.text for each in missing if each.name in expanded]
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

"""Names of ops in other systems: ONNX, PyTorch, StableHLO and vendors' command sets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dialects.text.suggestions import nearest, plain

_ELSEWHERE: dict[str, str] = {
    "graph.constant": "const literal full fill zeros ones splat eye arange iota constantofshape",
    "graph.weight": "parameter param initializer variable buffer",
    "graph.abs": "absolute absf",
    "graph.neg": "negate negative negf",
    "graph.exp": "exponential",
    "graph.log": "ln logarithm",
    "graph.sqrt": "squareroot",
    "graph.rsqrt": "inversesqrt reciprocalsqrt",
    "graph.reciprocal": "recip inverse inv",
    "graph.sin": "sine",
    "graph.cos": "cosine",
    "graph.tan": "tangent",
    "graph.atan2": "arctan2",
    "graph.expm1": "exponentialminusone",
    "graph.log1p": "logplusone",
    "graph.cbrt": "cuberoot",
    "graph.round": "roundnearesteven roundnearestafz rint roundeven",
    "graph.sign": "signum sgn",
    "graph.isfinite": "finite isinf",
    "graph.rem": "remainder mod fmod modulo",
    "graph.shift left": "shiftleft bitshift shl shli",
    "graph.shift right": "shiftrightlogical shrui",
    "graph.shift arithmetic": "shiftrightarithmetic shrsi",
    "graph.argsort": "sort topk sortindices",
    "graph.bitcast": "bitcastconvert reinterpretcast viewdtype",
    "graph.dynamic_update_slice": "dynamicupdateslice insertslice updateslice",
    "graph.sigmoid": "logistic",
    "graph.relu": "rectifier rectifiedlinear",
    "graph.silu": "swish",
    "graph.gelu": "geluerf fastgelu quickgelu",
    "graph.clip": "clamp relu6 hardtanh clipbyvalue",
    "graph.not": "logicalnot bitwisenot",
    "graph.cast": "convert astype to castlike convertelementtype truncf extf",
    "graph.add": "addition plus addf addi addv2 biasadd residual",
    "graph.sub": "subtract subtraction minus subf",
    "graph.mul": "multiply multiplication times mulf hadamard",
    "graph.div": "divide division divf truediv",
    "graph.min": "minimum",
    "graph.max": "maximum",
    "graph.pow": "power square",
    "graph.and": "logicaland bitwiseand",
    "graph.or": "logicalor bitwiseor",
    "graph.xor": "logicalxor bitwisexor",
    "graph.compare eq": "equal equals eq",
    "graph.compare ne": "notequal ne",
    "graph.compare lt": "less lessthan lt",
    "graph.compare le": "lessorequal lessequal le",
    "graph.compare gt": "greater greaterthan gt",
    "graph.compare ge": "greaterorequal greaterequal ge",
    "graph.opaque": "custom customcall customop unknown extension",
    "graph.quantize": "quantizelinear uniformquantize fakequantize dynamicquantizelinear",
    "graph.dequantize": "dequantizelinear uniformdequantize gatherblockquantized",
    "graph.qmatmul": ("matmulinteger qlinearmatmul matmulintegertofloat dynamicquantizematmul intmm scaledmm qlinear"),
    "graph.grouped_matmul": "groupedmm groupedgemm fusedmoe fusedexperts moe mixtureofexperts gathermm batchedmm qmoe",
    "graph.qconv": "convinteger qlinearconv qconv2d",
    "graph.select": "where if ifelse choose maskedfill",
    "graph.matmul": "gemm gemv mm bmm addmm baddbmm linear dense dot dotgeneral einsum fc fullyconnected innerproduct "
    "batchmatmul matrixmultiply mv",
    "graph.conv": "convolution convolutionoverrideable depthwiseconv depthwiseconvolution cnn",
    "graph.im2col": "unfold patches",
    "graph.attention": "sdpa scaleddotproductattention multiheadattention mha flashattention groupqueryattention",
    "graph.reduce mean": "mean average avg reducemean",
    "graph.reduce sum": "sum reducesum",
    "graph.reduce max": "amax reducemax",
    "graph.reduce min": "amin reducemin",
    "graph.reduce prod": "prod product reduceprod",
    "graph.cumsum": "cumulativesum scan prefixsum",
    "graph.layer_norm": "layernormalization",
    "graph.rms_norm": "rmsnormalization simplifiedlayernormalization",
    "graph.batch_norm": "batchnormalization batchnorminference batchnormtraining",
    "graph.lrn": "localresponsenorm localresponsenormalization",
    "graph.pool max": "maxpool maxpooling globalmaxpool",
    "graph.pool mean": "averagepool avgpool avgpooling averagepooling globalaveragepool adaptiveavgpool",
    "graph.reshape": "view flatten squeeze unsqueeze expanddims dynamicreshape collapseshape expandshape",
    "graph.transpose": "permute swapaxes t movedim permutedims",
    "graph.broadcast": "expand broadcastindim broadcastto tile",
    "graph.concat": "concatenate cat hstack vstack",
    "graph.slice": "split chunk narrow stridedslice extractslice",
    "graph.pad": "constantpad zeropad",
    "graph.gather": "embedding take indexselect lookup",
    "graph.scatter_nd": "scatter indexput",
    "graph.fused": "fusion kernel group",
    "graph.repeat": "while for foriloop loop scffor lstm gru rnn recurrent dynamicquantizelstm",
    "graph.yield": "return",
    "task.run": "task launch execute dispatch compute",
    "task.copy": "transfer move memcpy send receive dma todevice copyto",
    "task.resident": "pin preload keep",
    "task.repeat": "while for loop",
    "task.prefetch": "memprefetch memprefetchasync cudamemprefetchasync swapin pagein bring",
    "task.evict": "offload swapout pageout spill demote preevict",
    "task.write_back": "writeback flush clean savetohost",
    "task.discard": "invalidate drop free release madvise deallocate",
    "task.join": "wait sync synchronize await fence",
    "pim.act": "open gact actall activaterow rowactivate",
    "pim.mac": "comp macabk macsbk macab macsb macpb pimmacab dotproduct",
    "pim.load": "gwrite wrgb pimwrgb writegb globalwrite",
    "pim.drain": "readres rdmac readresult result",
    "pim.pre": "precharge prea close preall",
    "pim.bias": "wrbias accumulate initialize",
    "pim.activate": "actop activation",
    "pim.activated": "rdaf",
    "pim.fetch": "copybkgb",
    "pim.store": "copygbbk",
    "pim.collect": "mvsb pimmvsb",
    "pim.spread": "mvgb pimmvgb",
    "pim.softmax": "sfm pimsfm",
    "pim.set": "wcfr config register",
    "pim.for": "loop scffor rows repeat",
    "pim.kernel": "program function",
    "pim.launch": "call",
    "hw.device": "gpu pim machine cpu",
    "hw.link": "bus connection interconnect pcie nvlink",
}
"""Names of each op in other systems, as normalised by `plain`; a key includes the op's kind keyword if it has one."""

_BY_NAME: dict[str, list[str]] = {}
for _op, _names in _ELSEWHERE.items():
    for _name in _names.split():
        _BY_NAME.setdefault(_name, []).append(_op)

_DIALECTS = ("graph", "task", "pim", "hw")
_DIMENSIONS = re.compile(r"(?:[123]d|nd|v\d|default|tensor|scalar|op)$")
"""Suffixes that other systems append to op names."""


def meant(name: str, ops: Iterable[str]) -> Sequence[str]:
    """The ops among `ops` (written as `graph.relu`) that a name denotes: one, or several in sequence; empty if none.
    Approximate matches are accepted only in the dialect of the name.

    `graph.ReLU` denotes `graph.relu`, `onnx.Gemm` denotes `graph.matmul`, and `graph.add_relu` denotes `graph.add` and
    `graph.relu`.
    """
    known = list(ops)
    dialect = name.partition(".")[0] if "." in name else ""
    words = [word for word in name.split(".")[1 if dialect else 0 :] if word not in ("default", "Tensor", "Scalar")]
    word = words[-1] if words else name
    if (one := _of_word(word, dialect, known)) is not None:
        return [one]
    parts = [part for part in re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", word) if part]
    several = [_of_word(part, dialect, known) for part in parts]
    if len(several) > 1 and None not in several:
        return [each for each in several if each is not None]
    own = {op.partition(".")[2]: op for op in known if op.startswith(f"{dialect}.")}
    close = nearest(name.partition(".")[2], own)
    return [own[close]] if close is not None else []


def names_elsewhere(op: str) -> list[str]:
    """Names of an op in other systems, for all its kinds."""
    return [name for key, names in _ELSEWHERE.items() if key.partition(" ")[0] == op for name in names.split()]


def _of_word(word: str, dialect: str, known: Sequence[str]) -> str | None:
    """The op that `word` names in ndpir or in another system; an op of `dialect` is preferred."""
    order = [dialect, *(each for each in _DIALECTS if each != dialect)]
    for wanted in dict.fromkeys((plain(word), _DIMENSIONS.sub("", plain(word)))):
        found = [op for op in known if plain(op.partition(".")[2]) == wanted]
        found += [op for op in _BY_NAME.get(wanted, ()) if op.partition(" ")[0] in known]
        if found:
            return min(found, key=lambda op: order.index(d) if (d := op.partition(".")[0]) in order else len(order))
    return None

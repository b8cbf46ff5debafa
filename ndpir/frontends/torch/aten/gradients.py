"""Converters of backward passes: gradients of operators whose forward pass is one operator of ATen."""

from __future__ import annotations

from math import inf, pi, prod, sqrt

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import tensor_type
from ndpir.frontends.formulas import Term
from ndpir.frontends.padding import padded
from ndpir.frontends.torch.aten.attention import repeated_heads, scores_of
from ndpir.frontends.torch.aten.contraction import transposed_convolution
from ndpir.frontends.torch.aten.reduction import reduced
from ndpir.frontends.torch.call import F64, I64, AtenCall, Results, converts, element_of, rank_of
from ndpir.frontends.torch.views import put_at


def _product(call: AtenCall, a: SSAValue, b: SSAValue) -> SSAValue:
    return call.build(g.MulOp, a, b)


def _mask(call: AtenCall) -> list[bool]:
    found = call.plain(call.get("output_mask"))
    return [True] * 3 if found is None else list(found)


# Activations.


@converts("threshold_backward")
def threshold_backward(call: AtenCall) -> SSAValue:
    x, grad = call["self"], call["grad_output"]
    hit = call.build(g.CompareOp, x, call.number(call.plain(call.get("threshold")), element_of(x)), kind="le")
    return call.build(g.SelectOp, hit, call.number(0, element_of(grad)), grad)


@converts(
    "sigmoid_backward",
    "tanh_backward",
    "silu_backward",
    "gelu_backward",
    "elu_backward",
    "leaky_relu_backward",
    "hardtanh_backward",
    "hardswish_backward",
    "hardsigmoid_backward",
    "softplus_backward",
    "logit_backward",
    "mish_backward",
    "log_sigmoid_backward",
    "hardshrink_backward",
    "softshrink_backward",
)
def activation_backward(call: AtenCall) -> SSAValue:
    grad = call["grad_output" if call.has("grad_output") else "grad_out"]
    d = call.term(grad)
    x = call.term(next(call[name] for name in ("self", "output", "self_or_result") if call.has(name)))
    zero = d.constant(0.0)
    match call.node.op.removeprefix("aten.").removesuffix("_backward"):
        case "sigmoid":
            made = d * x * (1.0 - x)
        case "tanh":
            made = d * (1.0 - x * x)
        case "silu":
            s = x(g.SigmoidOp)
            made = d * s * (x * (1.0 - s) + 1.0)
        case "gelu":
            made = d * _gelu_slope(x, call.word("approximate") == "tanh")
        case "elu":
            alpha, scale, inner = (call.real(name, 1.0) for name in ("alpha", "scale", "input_scale"))
            below = (
                (x + alpha * scale) * inner
                if call.flag("is_result")
                else (x * inner)(g.ExpOp) * (alpha * scale * inner)
            )
            made = d * x.compare("le", 0.0).choose(below, scale)
        case "leaky_relu":
            made = d * x.compare("gt", 0.0).choose(x.constant(1.0), call.real("negative_slope", 0.01))
        case "hardtanh":
            inside = x.compare("gt", call.real("min_val"))(g.AndOp, x.compare("lt", call.real("max_val")))
            made = inside.choose(d, 0.0)
        case "hardswish":
            middle = x.compare("le", 3.0).choose(d * (x / 3.0 + 0.5), d)
            made = x.compare("lt", -3.0).choose(zero * d, middle)
            made = x.compare("le", -3.0).choose(d * 0.0, middle)
        case "hardsigmoid":
            inside = x.compare("gt", -3.0)(g.AndOp, x.compare("lt", 3.0))
            made = inside.choose(d / 6.0, 0.0)
        case "softplus":
            beta, threshold = call.real("beta"), call.real("threshold")
            made = (x * beta).compare("gt", threshold).choose(d, d * (x * beta)(g.SigmoidOp))
        case "mish":
            s, t = x(g.SigmoidOp), (x(g.ReluOp) + (-abs(x))(g.ExpOp)(g.Log1pOp))(g.TanhOp)
            made = d * (t + x * s * (1.0 - t * t))
        case "log_sigmoid":
            made = d * (-x)(g.SigmoidOp)
        case "hardshrink" | "softshrink":
            made = abs(x).compare("le", call.real("lambd", 0.5)).choose(d * 0.0, d)
        case _:
            made = d / (x * (1.0 - x))
    return call.cast(made.value, element_of(grad))


def _gelu_slope(x: Term, is_tanh: bool) -> Term:
    if not is_tanh:
        density = (x * x * -0.5)(g.ExpOp) * (1 / sqrt(2 * pi))
        return ((x * sqrt(0.5))(g.ErfOp) + 1.0) * 0.5 + x * density
    beta, kappa = sqrt(2 / pi), 0.044715
    inner = ((x * x * x) * kappa + x) * beta
    t = inner(g.TanhOp)
    return (t + 1.0) * 0.5 + x * 0.5 * (1.0 - t * t) * ((x * x) * (3 * kappa) + 1.0) * beta


@converts("native_dropout_backward")
def dropout_backward(call: AtenCall) -> SSAValue:
    grad = call["grad_output"]
    grown = call.build(g.MulOp, grad, call.number(call.real("scale"), element_of(grad)))
    return call.build(g.SelectOp, call["mask"], grown, call.number(0, element_of(grad)))


@converts("glu_backward")
def glu_backward(call: AtenCall) -> SSAValue:
    from ndpir.frontends.torch.aten.movement import cut

    x, grad = call["self"], call["grad_output"]
    axis = call.axis("dim", rank_of(x))
    half = g.shape_of(x)[axis] // 2
    a, b = (call.term(cut(call, x, axis, start, start + half)) for start in (0, half))
    d, s = call.term(grad), b(g.SigmoidOp)
    parts = [call.cast(each.value, element_of(x)) for each in (d * s, d * a * s * (1.0 - s))]
    return call.build(g.ConcatOp, *parts, axis=axis)


@converts("_prelu_kernel_backward")
def prelu_backward(call: AtenCall) -> list[SSAValue]:
    x, w, d = (call.term(call[name]) for name in ("self", "weight", "grad_output"))
    positive = x.compare("gt", 0.0)
    found = positive.choose(d, d * w), positive.choose(d * 0.0, d * x)
    return [call.cast(each.value, element_of(call["self"])) for each in found]


# Softmax, losses.


@converts("_softmax_backward_data", "_log_softmax_backward_data")
def softmax_backward(call: AtenCall) -> SSAValue:
    grad, y = call["grad_output"], call["output"]
    axis = call.axis("dim", rank_of(y))
    d, p = call.term(grad), call.term(y)
    if call.node.op.startswith("aten._log"):
        total = Term(call, reduced(call, d.value, "sum", (axis,), True))
        made = d - p(g.ExpOp) * total
    else:
        both = d * p
        made = both - p * Term(call, reduced(call, both.value, "sum", (axis,), True))
    return call.cast(made.value, call.result().element_type)  # pyright: ignore[reportArgumentType]


@converts("nll_loss_backward", "nll_loss2d_backward")
def nll_loss_backward(call: AtenCall) -> SSAValue:
    x, target, grad = call["self"], call["target"], call["grad_output"]
    axis = 1 if rank_of(x) > 1 else 0
    shape = g.shape_of(x)
    kept = call.build(g.CompareOp, target, call.number(call.integer("ignore_index"), element_of(target)), kind="ne")
    safe = call.build(g.SelectOp, kept, target, call.number(0, element_of(target)))
    d = call.term(grad)
    if call.has("weight"):
        d = d * Term(call, call.build(g.GatherOp, call.wide(call["weight"]), safe, axis=0))
    if call.integer("reduction") == 1:
        d = d / call.term(call["total_weight"])
    d = Term(call, kept).choose(-d, 0.0)
    each = call.reshaped(
        call.broadcast_to(d.value, g.shape_of(target)), [1 if at == axis else n for at, n in enumerate(shape)]
    )
    places = call.reshaped(safe, [1 if at == axis else n for at, n in enumerate(shape)])
    classes = call.along(axis, shape, I64)
    hit = call.build(g.CompareOp, classes, places, kind="eq")
    made = call.build(g.SelectOp, hit, each, call.number(0, element_of(each)))
    return call.cast(call.broadcast_to(made, shape), element_of(x))


@converts(
    "mse_loss_backward",
    "smooth_l1_loss_backward",
    "huber_loss_backward",
    "binary_cross_entropy_backward",
    "l1_loss_backward",
)
def loss_backward(call: AtenCall) -> SSAValue:
    x, y, d = (call.term(call[name]) for name in ("self", "target", "grad_output"))
    off = x - y
    count = prod(g.shape_of(off.value))
    match call.node.op.removeprefix("aten.").removesuffix("_backward"):
        case "mse_loss":
            slope = off * 2.0
        case "smooth_l1_loss":
            beta = call.real("beta")
            slope = abs(off).compare("lt", beta).choose(off / beta, off(g.SignOp)) if beta else off(g.SignOp)
        case "huber_loss":
            slope = off(g.ClipOp, min=-call.real("delta"), max=call.real("delta"))
        case "binary_cross_entropy":
            slope = (x - y) / ((1.0 - x) * x)(g.ClipOp, min=1e-12)
            if call.has("weight"):
                slope = slope * call.term(call["weight"])
        case _:
            slope = off(g.SignOp)
    made = slope * d
    if call.integer("reduction", 1) == 1:
        made = made / float(count)
    return call.cast(call.broadcast_to(made.value, g.shape_of(call["self"])), element_of(call["self"]))


# Normalisations.


@converts("native_layer_norm_backward", "_fused_rms_norm_backward")
def layer_norm_backward(call: AtenCall) -> Results:
    """Gradients of the operand, the scale and the bias, from the statistics of the forward pass."""
    is_rms = "rms" in call.node.op
    x, d = call.term(call["input"]), call.term(call["grad_out"])
    shape = g.shape_of(call["input"])
    inner = len(call.ints("normalized_shape"))
    axes, outer = tuple(range(len(shape) - inner, len(shape))), tuple(range(len(shape) - inner))
    rstd = call.term(call["rstd"])
    unit = x * rstd if is_rms else (x - call.term(call["mean"])) * rstd
    scaled = d * call.term(call["weight"]) if call.has("weight") else d
    mask = _mask(call)

    def mean(term: Term) -> Term:
        return Term(call, reduced(call, term.value, "mean", axes, True))

    made = scaled - unit * mean(scaled * unit)
    if not is_rms:
        made = made - mean(scaled)
    found: list[Term | None] = [made * rstd]
    found.append(Term(call, reduced(call, (d * unit).value, "sum", outer, False)) if call.has("weight") else None)
    if not is_rms:
        found.append(Term(call, reduced(call, d.value, "sum", outer, False)) if call.has("bias") else None)
    element = element_of(call["input"])
    names = call.ints("normalized_shape")
    return [
        None
        if each is None or not wanted
        else call.cast(each.value if not at else call.reshaped(each.value, names), element)
        for at, (each, wanted) in enumerate(zip(found, mask, strict=False))
    ]


@converts("native_group_norm_backward")
def group_norm_backward(call: AtenCall) -> Results:
    x, d = call["input"], call["grad_out"]
    n, c, *rest = g.shape_of(x)
    groups, count = call.integer("group"), prod(rest)
    each = (n, groups, c // groups * count)

    def grouped(value: SSAValue) -> Term:
        return Term(call, call.reshaped(value, each))

    mean, rstd = (call.term(call.reshaped(call[name], (n, groups, 1))) for name in ("mean", "rstd"))
    unit = (grouped(call.wide(x)) - mean) * rstd
    grad = call.term(d)
    scaled = grad
    if call.has("weight"):
        scaled = grad * call.term(call.reshaped(call["weight"], (c, *(1 for _ in rest))))
    inner = grouped(scaled.value)
    made = inner - unit * Term(call, reduced(call, (inner * unit).value, "mean", (2,), True))
    made = (made - Term(call, reduced(call, inner.value, "mean", (2,), True))) * rstd
    whole = Term(call, call.reshaped(unit.value, (n, c, *rest)))
    axes = (0, *range(2, 2 + len(rest)))
    found = [
        call.reshaped(made.value, g.shape_of(x)),
        reduced(call, (grad * whole).value, "sum", axes, False),
        reduced(call, grad.value, "sum", axes, False),
    ]
    return [
        call.cast(value, element_of(x)) if wanted else None for value, wanted in zip(found, _mask(call), strict=True)
    ]


@converts("native_batch_norm_backward", "cudnn_batch_norm_backward", "batch_norm_backward")
def batch_norm_backward(call: AtenCall) -> Results:
    x, d = call["input"], call["grad_out"]
    shape = g.shape_of(x)
    axes = (0, *range(2, len(shape)))
    along = (shape[1], *(1 for _ in shape[2:]))

    def channel(name: str) -> Term:
        return call.term(call.reshaped(call[name], along))

    trains = call.flag("train") or call.flag("update")
    epsilon = call.real("eps", 1e-5)
    if trains:
        mean, rstd = channel("save_mean"), channel("save_invstd" if "save_invstd" in call.node.inputs else "save_var")
    else:
        mean, rstd = channel("running_mean"), (channel("running_var") + epsilon)(g.RsqrtOp)
    unit, grad = (call.term(x) - mean) * rstd, call.term(d)
    total = Term(call, reduced(call, grad.value, "sum", axes, True))
    dot = Term(call, reduced(call, (grad * unit).value, "sum", axes, True))
    made = grad
    if trains:
        count = float(prod(shape[axis] for axis in axes))
        made = grad - total / count - unit * dot / count
    made = made * rstd
    if call.has("weight"):
        made = made * channel("weight")
    found = [
        call.cast(made.value, element_of(x)),
        call.reshaped(dot.value, (shape[1],)),
        call.reshaped(total.value, (shape[1],)),
    ]
    return [value if wanted else None for value, wanted in zip(found, _mask(call), strict=True)]


# Products.


@converts("convolution_backward")
def convolution_backward(call: AtenCall) -> Results:
    """The gradient of the image, a transposed convolution; that of the filters, a convolution of image and gradient;
    and that of the bias, a sum."""
    grad, x, w = (call[name] for name in ("grad_output", "input", "weight"))
    spatial = rank_of(w) - 2
    strides, pads, dilations = (_each(call.ints(name), spatial) for name in ("stride", "padding", "dilation"))
    groups, mask = call.integer("groups"), _mask(call)
    if call.flag("transposed"):
        return _transposed_backward(call, grad, x, w, strides, pads, dilations, groups, mask)
    kernel, image = g.shape_of(w)[2:], g.shape_of(x)[2:]
    found: list[SSAValue | None] = [None, None, None]
    if mask[0]:
        extra = tuple(
            n - ((m - 1) * s - 2 * p + d * (k - 1) + 1)
            for n, m, s, p, d, k in zip(image, g.shape_of(grad)[2:], strides, pads, dilations, kernel, strict=True)
        )
        found[0] = transposed_convolution(call, grad, w, None, strides, (*pads, *pads), dilations, extra, groups)
    if mask[1]:
        found[1] = _filter_gradient(call, x, grad, kernel, strides, pads, dilations, groups)
    if mask[2]:
        found[2] = reduced(call, grad, "sum", (0, *range(2, 2 + spatial)), False)
    return found


def _each(given: tuple[int, ...], count: int) -> tuple[int, ...]:
    return given * count if len(given) == 1 else given


def _filter_gradient(
    call: AtenCall,
    x: SSAValue,
    grad: SSAValue,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    pads: tuple[int, ...],
    dilations: tuple[int, ...],
    groups: int,
) -> SSAValue:
    """Each element of the filters is the product of the gradient and the image moved by its place: a convolution of the
    image by the gradient, whose channels are samples."""
    n, c = g.shape_of(x)[:2]
    m = g.shape_of(grad)[1]
    spatial = len(kernel)
    image = g.shape_of(x)[2:]
    reach = [
        (k - 1) * d + (o - 1) * s + 1
        for k, d, o, s in zip(kernel, dilations, g.shape_of(grad)[2:], strides, strict=True)
    ]
    high = [need - size - low for need, size, low in zip(reach, image, pads, strict=True)]
    wide = padded(call, x, (0, 0, *pads), (0, 0, *high), (0,) * (2 + spatial))
    # [C / groups, groups * N, …] by [M, N, …], with groups of N channels.
    each = c // groups
    apart = call.reshaped(wide, (n, groups, each, *g.shape_of(wide)[2:]))
    axes = range(3, 3 + spatial)
    samples = call.reshaped(call.transposed(apart, [2, 1, 0, *axes]), (each, groups * n, *g.shape_of(wide)[2:]))
    filters = call.transposed(grad, [1, 0, *range(2, 2 + spatial)])
    made = call.build(
        g.ConvOp,
        samples,
        filters,
        groups=groups,
        strides=dilations if set(dilations) != {1} else None,
        dilations=strides if set(strides) != {1} else None,
    )
    assert g.shape_of(made)[:2] == (each, m)
    return call.transposed(made, [1, 0, *range(2, 2 + spatial)])


def _transposed_backward(
    call: AtenCall,
    grad: SSAValue,
    x: SSAValue,
    w: SSAValue,
    strides: tuple[int, ...],
    pads: tuple[int, ...],
    dilations: tuple[int, ...],
    groups: int,
    mask: list[bool],
) -> Results:
    """Gradients of a transposed convolution: a convolution, and a filter gradient with image and gradient exchanged."""
    spatial = rank_of(w) - 2
    found: list[SSAValue | None] = [None, None, None]
    if mask[0]:
        made = call.build(
            g.ConvOp,
            grad,
            w,
            groups=groups,
            strides=strides if set(strides) != {1} else None,
            pads=(*pads, *pads) if any(pads) else None,
            dilations=dilations if set(dilations) != {1} else None,
        )
        found[0] = call.sliced(made, [0] * (2 + spatial), g.shape_of(x))
    if mask[1]:
        found[1] = _filter_gradient(call, grad, x, g.shape_of(w)[2:], strides, pads, dilations, groups)
    if mask[2]:
        found[2] = reduced(call, grad, "sum", (0, *range(2, 2 + spatial)), False)
    return found


@converts(
    "_scaled_dot_product_flash_attention_for_cpu_backward",
    "_scaled_dot_product_flash_attention_backward",
    "_scaled_dot_product_efficient_attention_backward",
)
def attention_backward(call: AtenCall) -> Results:
    """Gradients of queries, keys and values, with the weights computed again from the log of their sums."""
    grad = call["grad_out" if call.has("grad_out") else "grad_out_"]
    q, k, v, out, sums = (call[name] for name in ("query", "key", "value", "out", "logsumexp"))
    name = next((name for name in ("attn_mask", "attn_bias") if call.has(name)), None)
    masks = [] if name is None else [call[name]]
    scale = call.plain(call.get("scale"))
    scale = 1 / sqrt(g.shape_of(q)[-1]) if scale is None else scale
    times = g.shape_of(q)[1] // g.shape_of(k)[1]
    scores = Term(call, scores_of(call, q, k, masks, call.flag("is_causal"), scale))
    wide = [call.wide(each) for each in (grad, out, q, repeated_heads(call, k, times), repeated_heads(call, v, times))]
    d, y, queries, keys, values = wide
    p = (scores - Term(call, call.reshaped(call.wide(sums), (*g.shape_of(q)[:3], 1))))(g.ExpOp)
    dv = call.build(g.MatmulOp, p.value, d, transpose_a=True)
    dp = Term(call, call.build(g.MatmulOp, d, values, transpose_b=True))
    delta = Term(call, reduced(call, _product(call, d, y), "sum", (3,), True))
    ds = p * (dp - delta)
    dq = call.build(g.MatmulOp, (ds * scale).value, keys)
    dk = call.build(g.MatmulOp, (ds * scale).value, queries, transpose_a=True)
    found = [dq, *(_summed_heads(call, each, times) for each in (dk, dv))]
    return [call.cast(each, element_of(x)) for each, x in zip(found, (q, k, v), strict=True)]


def _summed_heads(call: AtenCall, x: SSAValue, times: int) -> SSAValue:
    if times == 1:
        return x
    b, heads, length, depth = g.shape_of(x)
    apart = call.reshaped(x, (b, heads // times, times, length, depth))
    return reduced(call, apart, "sum", (2,), False)


# Look-ups, pools.


@converts("embedding_dense_backward", "embedding_backward")
def embedding_backward(call: AtenCall) -> SSAValue:
    """Rows of the gradient added at the rows that were looked up, except those of padding."""
    grad, indices = call["grad_output"], call["indices"]
    rows, width = call.integer("num_weights"), g.shape_of(grad)[-1]
    count = prod(g.shape_of(indices))
    flat = call.reshaped(grad, (count, width))
    places = call.reshaped(call.cast(indices, I64), (count, 1))
    padding = call.integer("padding_idx", -1)
    if padding >= 0:
        kept = call.build(g.CompareOp, places, call.number(padding, I64), kind="ne")
        flat = call.build(g.SelectOp, kept, flat, call.number(0, element_of(flat)))
    zeros = call.splat(0, tensor_type((rows, width), element_of(grad)))
    return call.build(g.ScatterNdOp, zeros, places, flat, kind="add")


@converts(
    "max_pool2d_with_indices_backward",
    "max_pool3d_with_indices_backward",
    "adaptive_max_pool2d_backward",
    "adaptive_max_pool3d_backward",
)
def max_pool_backward(call: AtenCall) -> SSAValue:
    """The gradient added at the places of the maxima."""
    x, grad, places = call["self"], call["grad_output"], call["indices"]
    spatial = 2 if "2d" in call.node.op else 3
    outer = prod(g.shape_of(x)[:-spatial])
    image = prod(g.shape_of(x)[-spatial:])
    zeros = call.splat(0, tensor_type((outer, image), element_of(grad)))
    count = prod(g.shape_of(grad)) // outer
    flat = [call.reshaped(each, (outer, count)) for each in (places, grad)]
    made = call.build(g.ScatterElementsOp, zeros, flat[0], flat[1], kind="add", axis=1)
    return call.reshaped(made, g.shape_of(x))


@converts("avg_pool2d_backward", "avg_pool3d_backward")
def avg_pool_backward(call: AtenCall) -> SSAValue:
    """Each gradient spread over its window: a transposed convolution of channels by ones."""
    x, grad = call["self"], call["grad_output"]
    spatial = 2 if "2d" in call.node.op else 3
    kernel = _each(call.ints("kernel_size"), spatial)
    strides = _each(call.ints("stride", ()) or kernel, spatial)
    pads = _each(call.ints("padding", (0,)), spatial)
    image, windows = g.shape_of(x)[-spatial:], g.shape_of(grad)[-spatial:]
    divisor = call.plain(call.get("divisor_override"))
    counts = np.full(windows, float(divisor or prod(kernel)))
    if divisor is None:
        for at in np.ndindex(*windows):
            spans = [
                (i * s - p, min(i * s - p + k, n + p))
                for i, s, p, k, n in zip(at, strides, pads, kernel, image, strict=True)
            ]
            if not call.flag("count_include_pad", True):
                spans = [(max(a, 0), min(b, n)) for (a, b), n in zip(spans, image, strict=True)]
            counts[at] = prod(b - a for a, b in spans)
    outer = prod(g.shape_of(x)[:-spatial])
    d = call.term(call.reshaped(grad, (outer, 1, *windows)))
    factor = 1 / counts
    if (factor == factor.flat[0]).all():
        d = d * float(factor.flat[0])
    else:
        d = d * Term(call, call.constant(factor.astype(np.float32)))
    total: SSAValue | None = None
    low_shape = [(m - 1) * s + 1 for m, s in zip(windows, strides, strict=True)]
    apart = padded(call, d.value, (0,) * (2 + spatial), (0,) * (2 + spatial), (0, 0, *(s - 1 for s in strides)))
    for at in np.ndindex(*kernel):
        low = [a - p for a, p in zip(at, pads, strict=True)]
        high = [n - (first + size) for n, first, size in zip(image, low, low_shape, strict=True)]
        part = padded(call, apart, (0, 0, *low), (0, 0, *high), (0,) * (2 + spatial))
        total = part if total is None else call.build(g.AddOp, total, part)
    assert total is not None
    return call.cast(call.reshaped(total, g.shape_of(x)), element_of(x))


@converts("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward")
def adaptive_avg_pool_backward(call: AtenCall) -> SSAValue:
    x, grad = call["self"], call["grad_output"]
    spatial = 2 if "2d" in call.node.op else 3
    made = call.wide(grad)
    for n, m, axis in zip(
        g.shape_of(x)[-spatial:], g.shape_of(grad)[-spatial:], range(rank_of(x) - spatial, rank_of(x)), strict=True
    ):
        share = np.zeros((m, n))
        for each in range(m):
            start, end = each * n // m, -(-(each + 1) * n // m)
            share[each, start:end] = 1 / (end - start)
        made = by_matrix(call, made, axis, share)
    return call.cast(made, element_of(x))


def by_matrix(call: AtenCall, x: SSAValue, axis: int, matrix: NDArray[np.float64]) -> SSAValue:
    """Sums of the elements along an axis, weighted by the columns of a known matrix."""
    dtype = np.float64 if element_of(x) == F64 else np.float32
    order = [*(at for at in range(rank_of(x)) if at != axis), axis]
    rows = call.build(g.MatmulOp, call.transposed(x, order), call.constant(matrix.astype(dtype)))
    return call.transposed(rows, np.argsort(order).tolist())


@converts(
    "upsample_nearest1d_backward",
    "upsample_nearest2d_backward",
    "upsample_nearest3d_backward",
    "_upsample_nearest_exact1d_backward",
    "_upsample_nearest_exact2d_backward",
    "_upsample_nearest_exact3d_backward",
    "upsample_linear1d_backward",
    "upsample_bilinear2d_backward",
    "upsample_trilinear3d_backward",
    "upsample_bicubic2d_backward",
)
def upsample_backward(call: AtenCall) -> SSAValue:
    """The sum of the gradients of all elements that an element was a part of, along one axis after another."""
    grad = call["grad_output"]
    op = call.node.op.removeprefix("aten.")
    sizes = call.ints("input_size")[2:]
    made = grad
    names = ("scales",) if len(sizes) == 1 else ("scales_d", "scales_h", "scales_w")[-len(sizes) :]
    for axis, (n, m, name) in enumerate(zip(sizes, g.shape_of(grad)[2:], names, strict=True), 2):
        if n == m and "nearest" in op:
            continue
        shape = g.shape_of(made)
        if "nearest" in op and not m % n:
            apart = call.reshaped(made, (*shape[:axis], n, m // n, *shape[axis + 1 :]))
            made = reduced(call, apart, "sum", (axis + 1,), False)
            continue
        scale = 1 / call.real(name) if call.has(name) else n / m
        weights = _resizing(n, m, scale, op, call.flag("align_corners"))
        made = by_matrix(call, call.wide(made), axis, weights)
    return call.cast(made, element_of(grad))


def _resizing(n: int, m: int, scale: float, op: str, align_corners: bool) -> NDArray[np.float64]:
    """The weights of n elements in each of m elements of a resized axis, as PyTorch places them (aten/src/ATen/native/
    UpSample.h)."""
    out, found = np.arange(m), np.zeros((m, n))
    if "nearest" in op:
        at = np.floor((out + 0.5) * scale if "exact" in op else out * scale)
        found[out, np.clip(at, 0, n - 1).astype(int)] = 1
        return found
    at = out * ((n - 1) / (m - 1) if m > 1 else 0.0) if align_corners else (out + 0.5) * scale - 0.5
    if "cubic" not in op:
        at = np.maximum(at, 0)
        low = np.minimum(np.floor(at).astype(int), n - 1)
        part = np.clip(at - low, 0, 1)
        np.add.at(found, (out, low), 1 - part)
        np.add.at(found, (out, np.minimum(low + 1, n - 1)), part)
        return found
    low = np.floor(at).astype(int)
    for tap in range(-1, 3):
        distance = np.abs(at - low - tap)
        near = (1.25 * distance - 2.25) * distance * distance + 1
        far = ((-0.75 * distance + 3.75) * distance - 6) * distance + 3
        np.add.at(found, (out, np.clip(low + tap, 0, n - 1)), np.where(distance <= 1, near, far))
    return found


@converts(
    "reflection_pad1d_backward",
    "reflection_pad2d_backward",
    "reflection_pad3d_backward",
    "replication_pad1d_backward",
    "replication_pad2d_backward",
    "replication_pad3d_backward",
)
def pad_backward(call: AtenCall) -> SSAValue:
    """The gradients of all copies of an element, added along one axis after another."""
    grad, x, pads = call["grad_output"], call["self"], call.ints("padding")
    for at in range(len(pads) // 2):
        axis, before, after = rank_of(x) - 1 - at, pads[2 * at], pads[2 * at + 1]
        n = g.shape_of(x)[axis]
        places = np.arange(-before, n + after)
        places = n - 1 - np.abs(n - 1 - np.abs(places)) if "reflection" in call.node.op else np.clip(places, 0, n - 1)
        order = [axis, *(each for each in range(rank_of(x)) if each != axis)]
        rows = call.transposed(grad, order)
        zeros = call.splat(0, tensor_type((n, *g.shape_of(rows)[1:]), element_of(grad)))
        indices = call.constant(places.reshape(-1, 1).astype(np.int64))
        made = call.build(g.ScatterNdOp, zeros, indices, rows, kind="add")
        grad = call.transposed(made, np.argsort(order).tolist())
    return grad


@converts("diagonal_backward")
def diagonal_backward(call: AtenCall) -> SSAValue:
    """The gradient on a diagonal, zeros elsewhere."""
    shape = call.ints("input_sizes")
    numbers = np.arange(prod(shape)).reshape(shape)
    places = np.diagonal(numbers, call.integer("offset"), call.integer("dim1"), call.integer("dim2"))
    grad = call["grad_output"]
    return put_at(call, call.splat(0, tensor_type(shape, element_of(grad))), places, grad)


@converts("unfold_backward")
def unfold_backward(call: AtenCall) -> SSAValue:
    """The gradients of all windows added at their places."""
    shape, grad = call.ints("input_sizes"), call["grad_in"]
    axis, size, step = call.axis("dim", len(shape)), call.integer("size"), call.integer("step")
    numbers = np.arange(prod(shape)).reshape(shape)
    windows = np.lib.stride_tricks.sliding_window_view(numbers, size, axis)
    places = np.take(windows, np.arange(g.shape_of(grad)[axis]) * step, axis)
    return put_at(call, call.splat(0, tensor_type(shape, element_of(grad))), places, grad, "add")


@converts("_cdist_backward")
def cdist_backward(call: AtenCall) -> SSAValue:
    """The gradient of the first matrix of distances of all pairs of rows."""
    x, y, grad, distances = (call.wide(call[name]) for name in ("x1", "x2", "grad", "cdist"))
    p = call.real("p")
    off = Term(call, call.reshaped(x, (*g.shape_of(x)[:-1], 1, g.shape_of(x)[-1])))
    off = off - Term(call, call.reshaped(y, (*g.shape_of(y)[:-2], 1, *g.shape_of(y)[-2:])))
    d, far = (Term(call, call.reshaped(each, (*g.shape_of(each), 1))) for each in (grad, distances))
    if p == 0:
        made = off * 0.0
    elif p == 1:
        made = off(g.SignOp) * d
    elif p == inf:
        made = off(g.SignOp) * abs(off).compare("eq", far).choose(d, d * 0.0)
    else:
        made = off * abs(off)(g.PowOp, p - 2) * d / far(g.PowOp, p - 1) if p != 2 else off * d / far
        made = far.compare("eq", 0.0).choose(made * 0.0, made)
        made = abs(off).compare("eq", 0.0).choose(off * 0.0, made)
    rank = rank_of(made.value)
    return call.cast(reduced(call, made.value, "sum", (rank - 2,), False), element_of(call["x1"]))


@converts("slice_backward", "select_backward")
def slice_backward(call: AtenCall) -> SSAValue:
    """The gradient at the places of a slice, zeros elsewhere."""
    grad = call["grad_output"]
    shape = call.ints("input_sizes")
    axis = call.axis("dim", len(shape))
    if call.node.op == "aten.select_backward":
        at = call.integer("index") % shape[axis]
        grad = call.reshaped(grad, [1 if each == axis else n for each, n in enumerate(shape)])
        start, step = at, 1
    else:
        n = shape[axis]
        start, step = call.integer("start"), call.integer("step")
        start = min(max(start + n if start < 0 else start, 0), n)
    count = g.shape_of(grad)[axis]
    low = [start if each == axis else 0 for each in range(len(shape))]
    inner = [step - 1 if each == axis else 0 for each in range(len(shape))]
    reach = (count - 1) * step + 1 if count else 0
    high = [n - low[each] - reach if each == axis else 0 for each, n in enumerate(shape)]
    return padded(call, grad, tuple(low), tuple(high), tuple(inner))

"""The kernels that a GPU launches for a graph op or a fused group: their class, sizes and element type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, prod
from typing import Any, NamedTuple, TypeAlias, TypeVar

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import bit_width, byte_count, byte_width, element_count
from dialects.external import ExternalInterface
from dialects.work import Work
from interp.kinds.gpu.factors import (
    dequantized,
    element_name,
    first_read,
    scaled_in_kernel,
    small_factors,
    stored_bytes,
)
from interp.walk.unchanged import once_per_op

MATRIX_CLASSES = (
    *("gemm", "gemm_blocks", "conv_forward", "experts", "experts_ungated", "experts_blocks"),
    *("prefill", "prefill_narrow", "bidirectional", "decode", "decode_narrow", "attention_backward"),
)
"""Names of the kernel classes whose kernels contain contractions."""
FUSED_CLASSES = ("prefill", "bidirectional", "decode")
"""Names of the classes whose kernels chain two contractions."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One launch: its class, its element type, and its values in the columns of the class.

    `more_bytes`, `more_flops`: additional traffic and operations of ops fused into the kernel. `op`: the graph op whose
    name the kernel has in reports.
    """

    kernel_class: str
    element: str
    numbers: Mapping[str, float]
    op: g.GraphOp
    more_bytes: int = 0
    more_flops: int = 0
    work: Work = field(default_factory=Work)
    """The operations and bytes of the whole launch."""


Description: TypeAlias = tuple[str, dict[str, float]]
"""A kernel class, and a launch's values in its columns."""


Describe = TypeVar("Describe", bound=Callable[[Any, Work], Description])


class KernelForm(NamedTuple):
    """The kernel of an op class: `describe` gives the class and columns of an op's kernel, `rank` its priority in fused
    groups. Of a group's ops, the one with the lowest rank determines the kernel's class."""

    describe: Callable[[g.GraphOp, Work], Description]
    rank: int


kernel_form = ExternalInterface[KernelForm]()
"""The kernel that an op class becomes on a GPU. A plugin attaches a form for its own op classes. Without a form, an op
that multiplies and accumulates has no kernel, an op that computes is an element-wise kernel, and an op that moves bytes
is a copy."""


def launches(*op_classes: type[g.GraphOp], rank: int) -> Callable[[Describe], Describe]:
    """Registers the decorated function as the kernel description of some op classes."""

    def attach(describe: Describe) -> Describe:
        kernel_form.attach(KernelForm(describe, rank), *op_classes)
        return describe

    return attach


@once_per_op
def kernels_of(op: g.GraphOp | g.FusedOp) -> tuple[Kernel, ...]:
    """The kernels of an op, in order; empty for an op that computes and moves nothing (a view, a weight).

    A scatter that is not in place is preceded by a copy of the tensor that it updates, since its threads write in any
    order. A fused group is one kernel of the class of its main op (contractions before norms, norms before reductions,
    reductions before element-wise ops), with the group's other ops as prologue and epilogue. Each further contraction
    is a kernel of its own, since no library has one kernel for two contractions. A group that reduces rows and reads
    them again is a kernel of the softmax class if it is a softmax or contains an exponential, and otherwise of the norm
    class.
    """
    if isinstance(op, g.GraphOp):
        work = op.work()
        if not (work.flops or work.bytes) or work.moves_only:
            return ()
        return _scattered(op, work) if _copies_first(op) else (_alone(op, work),)
    works = op.works()
    inner = [each for each in works if not each[1].moves_only] or works
    total = op.work()
    if op.kind is not None and op.kind.data in g.ATTENTIONS:
        return (_attention_group(op, op.kind.data),)
    if op.kind is not None and op.kind.data == "experts":
        return (_expert_group(op),)
    if op.kind is not None and op.kind.data in _CONV_GRADIENTS:
        return (_conv_gradient(op, op.kind.data, next(part for part, _ in inner if isinstance(part, g.ConvOp))),)
    ranked = sorted(inner, key=lambda each: (_form(each[0]).rank, _computes_indices(each[0])))
    anchors = [each for each in ranked if _form(each[0]).rank == 0] or ranked[:1]
    kernels = [_alone(*anchor) for anchor in anchors]
    first = kernels[0]
    if "read" in first.numbers:  # a streaming class: its traffic is the whole group's
        if isinstance(first.op, g.ReduceOp) and _rereads_rows(op, first.op):
            softens = any(isinstance(part, g.ExpOp) for part, _ in inner) or (op.kind and "softmax" in op.kind.data)
            first = replace(first, kernel_class="softmax" if softens else "norm")
        if isinstance(first.op, g.ScatterOp) and _copies_first(first.op):
            return _scattered(first.op, total)
        numbers = {**first.numbers, "read": float(total.read), "written": float(total.written), "flops": total.flops}
        return (replace(first, numbers=numbers, work=total),)
    moved = sum(kernel.work.bytes - _uncounted_bytes(kernel, kernel.work.bytes) for kernel in kernels)
    counted = sum(kernel.work.flops for kernel in kernels)
    spared = _in_class(op, first)
    more_bytes = first.more_bytes + max(total.bytes - moved - spared.bytes, 0)
    more = replace(first, more_bytes=more_bytes, more_flops=max(total.flops - counted - spared.flops, 0), work=total)
    return (more, *(replace(kernel, work=Work()) for kernel in kernels[1:]))


def _in_class(group: g.FusedOp, kernel: Kernel) -> Work:
    """The work of a group's other ops that adds no time to its kernel: scaling the first factor of a product from 16
    bits, which measured times of the class include, and dequantizing operands, which kernels do in registers, while
    they wait for memory (Frantar et al., MARLIN, 2024)."""
    op = kernel.op
    done: set[g.GraphOp] = set()
    bytes_of_scaling = 0
    if "quantise" in kernel.numbers and (scaling := scaled_in_kernel(op.operands[0])) is not None:
        bytes_of_scaling = byte_count(g.tensor_of(scaling.x)) - byte_count(g.tensor_of(scaling.y))
        done.update(_makers(scaling))
    if isinstance(op, g.AttentionOp | g.ConvOp | g.GroupedMatmulOp | g.MatmulOp):
        done.update(each for value in op.operands[:3] if (each := dequantized(value)) is not None)
    return Work(sum(work.flops for each, work in group.works() if each in done), max(bytes_of_scaling, 0))


def _makers(op: g.GraphOp) -> set[g.GraphOp]:
    """An op of a group, and the ops of the group that compute its operands."""
    found = [op]
    for each in found:
        makers = (value.owner for value in each.operands)
        found += [maker for maker in makers if isinstance(maker, g.GraphOp) and maker not in found]
    return set(found)


def _copies_first(op: g.GraphOp) -> bool:
    """True for a scatter into a copy of its first operand."""
    return isinstance(op, g.ScatterOp) and not op.in_place.value.data


def _scattered(op: g.GraphOp, total: Work) -> tuple[Kernel, ...]:
    """The copy of the tensor that a scatter updates, and the scatter in this copy. `total`: the work of the scatter, or
    of its group, with the copy."""
    assert isinstance(op, g.ScatterOp)
    size, width = byte_count(g.tensor_of(op.before)), byte_width(g.tensor_of(op.before).element_type)
    copied = {"bytes": width, **_streamed(Work(0, size, size), 1, max(size // width, 1)), "strided": 0.0}
    copy = Kernel("copy", element_name(op.before), copied, op, work=Work(0, size, size))
    hit = op.work_in_place()
    work = Work(total.flops, hit.read + max(total.bytes - op.work().bytes, 0), hit.written, total.macs)
    numbers = {"bytes": width, **_picked(op, work, in_place=True)}
    return copy, Kernel("gather", element_name(op.before), numbers, op, work=work)


def _computes_indices(op: g.GraphOp) -> bool:
    """True for arithmetic on 64-bit integers, which computes indices: such an op determines the class of a group's
    kernel only if the group has no other op."""
    return isinstance(op, g.ElementwiseOp) and element_name(op.operands[0]) == "i64"


def _rereads_rows(group: g.FusedOp, reduce: g.ReduceOp) -> bool:
    """True if a group reduces rows and also writes them."""
    total = element_count(g.tensor_of(reduce.x))
    return reduce.along_rows and any(element_count(g.tensor_of(value)) == total for value in group.outputs)


def _alone(op: g.GraphOp, work: Work) -> Kernel:
    kernel_class, numbers = _form(op).describe(op, work)
    value = first_read(op)
    width = bit_width(g.tensor_of(value).element_type) / 8
    more = _limit_bytes(op) if isinstance(op, g.AttentionOp) else 0
    return Kernel(kernel_class, element_name(value), {"bytes": width, **numbers}, op, more, work=work)


def _limit_bytes(op: g.AttentionOp) -> int:
    """Bytes of an attention's mask and lengths, which are no columns of its kernels."""
    return sum(byte_count(g.tensor_of(value)) for value in op.limits)


def _uncounted_bytes(kernel: Kernel, moved: int) -> int:
    """Bytes that are missing from the kernel's columns: an op moves `moved` bytes in the element type of its operands,
    but the columns count its elements in a narrower type."""
    value = next(iter((*kernel.op.operands, *kernel.op.results)))
    width = byte_width(g.tensor_of(value).element_type)
    return moved - round(moved * kernel.numbers["bytes"] / width)


def _form(op: g.GraphOp) -> KernelForm:
    form = kernel_form.find(type(op))
    assert form is not None  # all graph ops have one
    return form


@launches(g.MatmulOp, g.QmatmulOp, rank=0)
def _matmul(op: g.MatmulOp | g.QmatmulOp, work: Work) -> Description:
    """The sizes of a product. `b_bytes`: the bytes of an element of B, with its share of the scales, where they are
    fewer than those of A: quantized weights that the kernel dequantizes."""
    batch, m, n, k = (max(size, 1) for size in op.sizes)
    if batch > 1 and prod(g.shape_of(op.b)[:-2]) == 1:  # one B for the whole batch: a single product with more rows
        batch, m = 1, batch * m
    elif batch > 1 and prod(g.shape_of(op.a)[:-2]) == 1 and m == 1:  # one row for the whole batch
        batch, n = 1, batch * n
    numbers: dict[str, float] = {"batch": batch, "m": m, "n": n, "k": k}
    if stored := stored_bytes(op.b):
        numbers["b_bytes"] = stored
    if scaled_in_kernel(op.a) is not None:
        numbers["quantise"] = 1
    factors = small_factors(op) if isinstance(op, g.MatmulOp) else None
    return "gemm_blocks" if factors is not None and factors.in_blocks else "gemm", numbers


@launches(g.RaggedMatmulOp, rank=0)
def _ragged_matmul(op: g.RaggedMatmulOp, work: Work) -> Description:
    """Groups of summands as a batch of products with groups of equal size, because the actual sizes are data; groups of
    rows as a product of experts."""
    groups, m, n, k = (max(size, 1) for size in op.extents)
    if op.sums_in_groups:
        return "gemm", {"batch": groups, "m": m, "n": n, "k": ceil(k / groups)}
    numbers = {"tokens": m, "choices": 1, "experts": groups, "rows": m, "touched": op.touched}
    return "experts", {**numbers, "hidden": k, "inter": n, "gated": 0, "down": 0, "w_bytes": stored_bytes(op.b)}


@launches(g.GroupedMatmulOp, rank=0)
def _grouped_matmul(op: g.GroupedMatmulOp, work: Work) -> Description:
    """A product of experts by itself: the first half of a layer, without a gate."""
    _, _, n, k = op.extents
    return "experts", {**_routing(op), "hidden": k, "inter": n, "gated": 0, "down": 0, "w_bytes": stored_bytes(op.w)}


def _routing(op: g.GroupedMatmulOp) -> dict[str, float]:
    """The experts that tokens choose, in the columns of the class `experts`."""
    here, rows, _, _ = op.extents
    numbers = {"tokens": rows / max(op.choices, 1), "choices": op.choices, "experts": here}
    return {**numbers, "rows": op.rows_here, "touched": op.touched}


def _expert_group(group: g.FusedOp) -> Kernel:
    """The kernels of a layer of experts, which are measured together. Its products to the inner width are one product
    of gates and inner values, or one each."""
    *ups, down = (op for op in group.ops if isinstance(op, g.GroupedMatmulOp))
    _, _, hidden, inter = down.extents
    wide = sum(up.extents[2] for up in ups)
    stored = sum(stored_bytes(op.w) * op.extents[2] * op.extents[3] for op in (*ups, down))
    numbers = {**_routing(down), "hidden": hidden, "inter": inter, "gated": max(wide / max(inter, 1) - 1, 0.0)}
    numbers["w_bytes"] = stored / max(hidden * (wide + inter), 1)
    total, value = group.work(), first_read(down)
    factors = small_factors(down)
    name = "experts" if wide > inter else "experts_ungated"
    name = "experts_blocks" if factors is not None and factors.in_blocks else name
    width = bit_width(g.tensor_of(value).element_type) / 8
    return Kernel(name, element_name(value), {"bytes": width, **numbers}, down, work=total)


@launches(g.ConvOp, g.QconvOp, rank=0)
def _conv(op: g.ConvOp | g.QconvOp, work: Work) -> Description:
    """The description of a convolution's kernel in two spatial axes: the last spatial axis gives the columns, and the
    product of all earlier ones the rows (1 if there is no earlier one). A convolution of a single pixel is described
    as a matrix-vector product, as compilers lower it."""
    n, c, *image = g.shape_of(op.x)
    filters, kernel = g.shape_of(op.w)[0], g.shape_of(op.w)[2:]
    result = g.shape_of(op.y)[2:]
    if n * prod(image) * prod(kernel) == op.groups.value.data == 1:
        return "gemm", {"batch": 1, "m": 1, "n": filters, "k": c, "transposed_b": 1}
    strides, pads, dilations = op.window(kernel)
    return "conv_forward", {
        "batch": n,
        "c": c,
        "h": prod(image[:-1]),
        "w": image[-1],
        "k": filters,
        "r": prod(kernel[:-1]),
        "s": kernel[-1],
        "p": prod(result[:-1]),
        "q": result[-1],
        "stride": strides[0],
        "stride_w": strides[-1],
        "pad": max(pads[0]),
        "dilation": max(dilations),
        "groups": op.groups.value.data,
    }


_CONV_GRADIENTS = ("conv_backward_data", "conv_backward_weight")


def _conv_gradient(group: g.FusedOp, kind: str, op: g.ConvOp) -> Kernel:
    """The kernel of a group that is the gradient of a convolution, in the sizes of the forward convolution. The
    gradient with respect to the input is a convolution of the result's gradient with zeros inserted between its
    elements; with respect to the filters, a convolution whose window is that gradient."""
    (n, c, *image), (filters, depth, *window) = g.shape_of(op.x), g.shape_of(op.w)
    made, groups = g.shape_of(op.y)[2:], op.groups.value.data
    _, pads, dilations = op.window(op.kernel)
    if kind == "conv_backward_weight":
        sizes = {"batch": depth, "c": n * groups, "k": filters}
        inputs, taps, outputs, strides, dilation, pad = image, made, window, dilations, 1, max(pads[0])
    else:
        outputs = _before_zeros(op.x)
        strides = [
            max(round((full - 1) / (few - 1)), 1) if few > 1 else 1 for full, few in zip(image, outputs, strict=True)
        ]
        sizes = {"batch": n, "c": filters, "k": c}
        inputs, taps, dilation, pad = made, window, max(dilations), max(0, (window[0] - 1) * dilations[0] - pads[0][0])
    numbers = {
        **sizes,
        "h": prod(inputs[:-1]),
        "w": inputs[-1],
        "r": prod(taps[:-1]),
        "s": taps[-1],
        "p": prod(outputs[:-1]),
        "q": outputs[-1],
        "stride": strides[0],
        "stride_w": strides[-1],
        "pad": pad,
        "dilation": dilation,
        "groups": groups,
    }
    macs = sizes["batch"] * prod(outputs) * prod(taps) * sizes["k"] * sizes["c"] // groups
    total = group.work()
    work = Work(2 * macs, total.read, total.written, macs)
    kernel = _alone(op, work)
    more = _uncounted_bytes(kernel, total.written)  # gradients in f32
    return replace(kernel, kernel_class=kind, numbers={"bytes": kernel.numbers["bytes"], **numbers}, more_bytes=more)


def _before_zeros(x: SSAValue) -> list[int]:
    """The spatial extents of an image before zeros were inserted between its elements. The insertion adds an axis
    behind a spatial axis and pads it; added axes are not counted, even if a view outside of the group has added
    them."""
    rank, added = len(g.shape_of(x)), set[int]()
    while isinstance(x.owner, g.SliceOp | g.PadOp | g.ReshapeOp):
        pads = x.owner.high.get_values() if isinstance(x.owner, g.PadOp) else ()
        added = {axis for axis, n in enumerate(pads) if n}
        x = x.owner.operands[0]
    shape = g.shape_of(x)
    return [n for axis, n in enumerate(shape) if axis > 1 and not (len(shape) > rank and axis in added)]


@launches(g.AttentionOp, rank=0)
def _attention(op: g.AttentionOp, work: Work) -> Description:
    """Attention over a cache of fewer bits than the queries is of a class of its own. The keys are those that a query
    reaches on average. The queries of a causal window of w keys are divided into spans of up to 2w - 1, which, as
    causal attention over as many keys, reach as many keys and read each once."""
    batch, heads, queries, depth = g.shape_of(op.q)
    kv_heads, keys, value_depth = g.shape_of(op.v)[1:]
    causal, window = bool(op.causal.value.data), op.window.value.data
    pairs, kept = op.reach()
    span, reached = queries, max(kept, 1.0)
    if window and queries:
        span = min(queries, 2 * window - 1) if causal else queries
        reached = max(pairs / queries + (span - 1) / 2 * causal, 1.0)
    numbers = {
        "batch": batch * ceil(queries / max(span, 1)),
        "queries": span,
        "keys": reached if reached < keys else keys,
        "heads": heads,
        "kv_heads": kv_heads,
        "head": (depth + value_depth) / 2,
        "causal": float(causal),
    }
    name = "decode" if queries == 1 else _attention_class(numbers)
    stored = max(stored_bytes(op.k), stored_bytes(op.v))
    if stored and small_factors(op) is None:
        numbers["cache_bytes"] = stored
        name = _NARROW.get(name, name)
    return name, numbers


_NARROW = {"decode": "decode_narrow", "prefill": "prefill_narrow"}
"""The class of attention over a cache of fewer bits, by that over one of the queries' type."""


def written_out(kernel: Kernel) -> tuple[Kernel, ...]:
    """The kernels of an attention for which no fused kernel exists: a product with soft cap and mask in its epilogue, a
    softmax, and another product; each stores all of its result. The scale is the factor of a product in BLAS, which
    takes no time. Of another kernel, the kernel itself."""
    op = kernel.op
    if not isinstance(op, g.AttentionOp):
        return (kernel,)
    (batch, heads, queries, depth), (_, groups, keys, width) = g.shape_of(op.q), g.shape_of(op.v)
    size = byte_width(g.tensor_of(op.q).element_type)
    scores = batch * heads * queries * keys
    rows = max(heads // groups * queries, 1)
    q, k, v, y = (byte_count(g.tensor_of(value)) for value in (op.q, op.k, op.v, op.y))
    masks = _limit_bytes(op)
    more_bytes, more_flops = kernel.more_bytes - masks, kernel.more_flops  # of further ops of a group
    each = 3 * bool(op.softcap.value.data) + op.hides
    first = Work(2 * scores * depth + each * scores, q + k + masks, scores * size, scores * depth)
    soft = Work(4 * scores, scores * size, scores * size)
    last = Work(2 * scores * width + more_flops, scores * size + v + more_bytes, y, scores * width)
    common = {"bytes": kernel.numbers["bytes"], "batch": max(batch * groups, 1), "m": rows}
    streamed = _streamed(soft, max(batch * heads * queries, 1), max(keys, 1))
    return (
        Kernel("gemm", kernel.element, {**common, "n": keys, "k": depth}, op, masks, each * scores, first),
        Kernel("softmax", kernel.element, {"bytes": size, **streamed, "centred": 1.0}, op, work=soft),
        Kernel("gemm", kernel.element, {**common, "n": width, "k": keys}, op, more_bytes, more_flops, last),
    )


def _attention_class(numbers: Mapping[str, float]) -> str:
    """The class of an attention's forward kernel."""
    if numbers["queries"] == 1:
        return "decode"
    return "prefill" if numbers["causal"] else "bidirectional"


def _attention_group(group: g.FusedOp, kind: str) -> Kernel:
    """The kernel of a group that is an attention or its gradients. Traffic other than queries, keys, values, results
    and their gradients (masks, dropped weights) is added."""
    product = next(op for op in group.ops if isinstance(op, g.MatmulOp))
    weights = next(op for op in group.ops if isinstance(op, g.ExpOp | g.SoftmaxOp))
    *lead, queries, keys = g.shape_of(weights.y)
    heads, kv_heads, backward = prod(lead), product.sizes[0], kind.endswith("_grad")
    total, source = group.work(), product.a
    while isinstance(source.owner, g.GraphOp) and source.owner.operands:  # back to the queries passed to the group
        source = source.owner.operands[0]
    width = byte_width(g.tensor_of(source).element_type)
    head = total.macs / ((5 if backward else 2) * max(heads * queries * keys, 1))
    counted = (3 * queries * heads + 4 * keys * kv_heads) if backward else 2 * (queries * heads + keys * kv_heads)
    numbers = {
        "bytes": width,
        "batch": 1,
        "queries": queries,
        "keys": keys,
        "heads": heads,
        "kv_heads": kv_heads,
        "head": head,
        "causal": float(kind.startswith("causal")),
    }
    name = "attention_backward" if backward else _attention_class(numbers)
    more = max(total.bytes - round(counted * head * width), 0)
    return Kernel(name, element_name(source), numbers, weights, more, work=total)


@launches(g.GraphOp, rank=5)
def _any(op: g.GraphOp, work: Work) -> Description:
    if work.macs:
        raise InputError(
            f"no GPU kernel is described for {op.name}; add a function with `@launches` that describes it, as in "
            "interp/kinds/gpu/kernels.py, or use a GPU sheet that states `model roofline`",
            op,
        )
    return _over_all(op, work, "elementwise" if work.flops else "copy")


@launches(g.ElementwiseOp, g.BatchNormOp, g.LrnOp, g.OpaqueOp, rank=4)
def _elementwise(op: g.GraphOp, work: Work) -> Description:
    return _over_all(op, work, "elementwise")


def _over_all(op: g.GraphOp, work: Work, kernel_class: str) -> Description:
    """The description of a kernel that reads or writes each element of a tensor once, without a division into rows."""
    numbers = _streamed(work, 1, max(element_count(g.tensor_of(op.results[0])), 1))
    return kernel_class, {**numbers, "strided": float(_moves_last_axis(op))}


def _moves_last_axis(op: g.GraphOp) -> bool:
    if not isinstance(op, g.TransposeOp):
        return False
    order = op.permutation.get_values()
    return bool(order) and order[-1] != len(order) - 1


@launches(g.SoftmaxOp, g.LayerNormOp, g.RmsNormOp, rank=1)
def _rowwise(op: g.SoftmaxOp | g.LayerNormOp | g.RmsNormOp, work: Work) -> Description:
    """A normalisation along the op's axis, or along all axes from it on."""
    shape = g.shape_of(op.operands[0])
    axis = op.axis.value.data % len(shape)
    kernel_class, row = ("softmax", shape[axis]) if isinstance(op, g.SoftmaxOp) else ("norm", prod(shape[axis:]))
    numbers = _streamed(work, max(prod(shape) // max(row, 1), 1), max(row, 1))
    return kernel_class, {**numbers, "centred": float(not isinstance(op, g.RmsNormOp))}


@launches(g.ReduceOp, g.CumsumOp, rank=2)
def _reduce(op: g.GraphOp, work: Work) -> Description:
    total, kept = (max(element_count(g.tensor_of(value)), 1) for value in (op.operands[0], op.results[0]))
    shape = g.shape_of(op.operands[0])
    strided = isinstance(op, g.ReduceOp) and len(shape) - 1 not in op.axis_set()
    return "reduction", {**_streamed(work, kept, total / kept), "strided": float(strided)}


@launches(g.PoolOp, rank=2)
def _pool(op: g.PoolOp, work: Work) -> Description:
    return "elementwise", _streamed(work, 1, element_count(g.tensor_of(op.y)))  # a thread per element


@launches(g.GatherOp, g.GatherElementsOp, g.GatherNdOp, g.ScatterElementsOp, g.ScatterNdOp, rank=3)
def _gather(op: g.GraphOp, work: Work) -> Description:
    return "gather", _picked(op, work, isinstance(op, g.OverwritingOp) and bool(op.in_place.value.data))


def _picked(op: g.GraphOp, work: Work, in_place: bool) -> dict[str, float]:
    """The columns of a kernel that reads or writes slices at computed indices, one row for each index."""
    picked = max(element_count(g.tensor_of(op.operands[1])), 1)
    moved = element_count(g.tensor_of(op.operands[2] if in_place else op.results[0]))
    return _streamed(work, picked, max(moved / picked, 1))


def _streamed(work: Work, rows: float, cols: float) -> dict[str, float]:
    return {"rows": rows, "cols": cols, "read": work.read, "written": work.written, "flops": work.flops}

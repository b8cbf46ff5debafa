"""The order in which aiconfigurator measured kernels, for its power readings: a reading contains the power of the
kernel that ran before on the same GPU, if the pause between them is shorter than the meter's window.

Source: ai-dynamo/aiconfigurator @01da5eb and @e015c0e, collector/vllm/collect_gemm.py and collect_attn.py, with the
sizes in collector/cases/base_ops: matrix products by descending m, n and k; attention by form of its heads, then by
descending length and number of sequences. Several GPUs take cases from one queue, so that the case before on the same
GPU is some cases earlier.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from interp.kinds.gpu.constants.measurement import MeasuredGroup
from interp.kinds.gpu.kernel_class import Columns

_FEATURES = (
    *(32, 64, 128, 256, 512, 768, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 5120, 6144, 7168, 8192, 10240, 12288),
    *(16384, 51200, 65536),
)
"""The sizes n and k of matrix products; both are the largest in no product."""
_PAIRS = (*range(32, 129, 16), 160, 192, 224, *range(256, 4353, 256))
_TOKENS = (*range(1, 18), *sorted(size + more for size in _PAIRS for more in (0, 1)), 8192, 16384, 32768)
"""The sizes m of matrix products."""
_LENGTHS = (1, 16, 32, 64, 128, 256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 10240, 12288, 16384)
_SEQUENCES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_MOST_TOKENS = {True: 65536, False: 131072}
"""The largest number of tokens of prefill attention, by whether each head has its own keys."""
_MOST_ALONE = 128
"""The largest number of sequences where each head has its own keys."""
_MOST_ELEMENTS = 1 << 31
_APART = {"h200_sxm": 4, "b200_sxm": 8}
"""The number of cases in bf16 between two cases of prefill attention on the same GPU. The data set does not state it;
it is the one with which a model of power fits best, of 1 to 16."""


def kernels_before(group: MeasuredGroup) -> Columns:
    """Return the columns of the kernel measured before each kernel of a group: for decode attention, whose order is not
    known, and for kernels with sizes of other lists, the kernel itself."""
    columns = {name: values.copy() for name, values in group.columns.items()}
    match group.kernel_class:
        case "gemm":
            names = ("m", "n", "k")
            before = [_product_before(*sizes) for sizes in _rows(columns, names)]
        case "prefill":
            names, apart = ("batch", "queries"), _APART.get(group.gpu, 0)
            forms = _rows(columns, ("batch", "queries", "heads", "kv_heads", "head"))
            before = [_attention_before((b, q), (heads, shared, head), apart) for b, q, heads, shared, head in forms]
        case _:
            return columns
    columns |= dict(zip(names, np.array(before, float).reshape(-1, len(names)).T, strict=True))
    if "queries" in names:
        columns["keys"] = columns["queries"]
    return columns


def _rows(columns: Columns, names: tuple[str, ...]) -> list[tuple[int, ...]]:
    return list(zip(*(columns[name].astype(int).tolist() for name in names), strict=True))


def _product_before(m: int, n: int, k: int) -> tuple[int, int, int]:
    """The next larger k; of the largest k, the smallest k with the next larger n, and so on."""
    if m not in _TOKENS or n not in _FEATURES or k not in _FEATURES:
        return m, n, k
    largest = max(size for size in _FEATURES if n < max(_FEATURES) or size < n)
    if k < largest:
        return m, n, _next(_FEATURES, k)
    if n < max(_FEATURES):
        return m, _next(_FEATURES, n), min(_FEATURES)
    return (_next(_TOKENS, m), min(_FEATURES), min(_FEATURES)) if m < max(_TOKENS) else (m, n, k)


def _next(sizes: tuple[int, ...], size: int) -> int:
    return sizes[sizes.index(size) + 1]


def _attention_before(sizes: tuple[int, int], form: tuple[int, int, int], apart: int) -> tuple[int, int]:
    """The number and length of the sequences of the case `apart` cases earlier; of a form's first cases, the last case
    of any form."""
    cases = _attention_cases(*form)
    if sizes not in cases:
        return sizes
    place = cases.index(sizes) - apart
    return cases[place] if place >= 0 else (min(_SEQUENCES), min(_LENGTHS))


@cache
def _attention_cases(heads: int, kv_heads: int, head: int) -> list[tuple[int, int]]:
    alone = heads == kv_heads
    return [
        (batch, length)
        for length in reversed(_LENGTHS)
        for batch in reversed(_SEQUENCES)
        if batch * length <= _MOST_TOKENS[alone]
        and not (alone and batch > _MOST_ALONE)
        and 2 * batch * length * kv_heads * head < _MOST_ELEMENTS - 1
    ]

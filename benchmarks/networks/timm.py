"""PyTorch Image Models' published inference times in mixed precision, compared with ndpir's predictions.

A prediction is made from the network's graph if this package can build it, and otherwise from the network's numbers of
multiply-accumulates and activations.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from xdsl.utils.exceptions import VerifyException

from benchmarks.gpu.measurements import SHEETS, filled, read_groups, row_number
from benchmarks.networks.branches import BRANCHES
from benchmarks.networks.families import FAMILIES
from benchmarks.networks.fit import Free, Key, fit_networks, members, network_ns
from benchmarks.networks.launches import Launches, sheet
from benchmarks.networks.mobiles import mobile
from benchmarks.networks.parallel import PARALLEL
from benchmarks.networks.row import Row, read_rows
from benchmarks.networks.totals import Totals, TotalsModel, fit_totals
from benchmarks.networks.vits import vision_transformer
from dialects.element_types import element_count
from dialects.graph import ConvOp, tensor_of
from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import Record
from interp.kinds.gpu.constants.fit import fit
from interp.kinds.gpu.constants.known import constants_for

_FREE = (
    *(Free("conv_forward", name) for name in ("issue", "tile_overhead", "prologue", "dram", "overlap", "conversion")),
    *(Free("conv_forward", name) for name in ("direct_dram", "direct_issue")),
    *(Free(name, "dram") for name in ("elementwise", "reduction", "norm", "copy")),
    Free("reduction", "row"),
    *(Free("bidirectional", name) for name in ("issue", "softmax")),
)
"""The constants that are fitted on complete networks, separately for each GPU and layout."""

_WRITTEN = (("conv_forward", "f16"), ("reduction", "f16"))
"""The classes whose shipped constants are fitted to complete networks, since no data set has single kernels of these
classes in f16.

During this fit all other classes have their shipped constants, which were fitted to single kernels.
"""
SHIPPED_LAYOUT = "nhwc"
"""The layout of the networks on which shipped constants were fitted."""

_NO_CACHE = {"query_passes": 0.01, "cache_passes": 0.01}
"""Constants for attention in image networks, which neither rotates queries nor stores keys."""

_CNN = re.compile(
    r"(tf_|tv_|legacy_|gluon_|ssl_|swsl_|ig_|test_|dm_|eca_|ese_|cs3|csp|nf_|gc|se|eca|wide_|res2|sk)*"
    r"(resne|resnetv2|regnet|vgg|densenet|dla|dpn|darknet|edgenet|senet|hrnet|inception|xception|mobilenet|"
    r"efficientnet|mnasnet|fbnet|mixnet|tinynet|lcnet|hardcore|ghostnet|repghost|repvgg|mobileone|rexnet|spnasnet|"
    r"selecsls|tresnet|vovnet|gernet|hgnet|nasnet|pnasnet|convnext|nfnet|byobnet|net\d|net_)"
)
_ATTENTION = re.compile(r"hybrid|bot|halo|lambda|vit|former|_mlp|resmlp|mixer|bat_")


def is_cnn(name: str) -> bool:
    """Return True for purely convolutional networks, by name: families of `_CNN` without attention."""
    return bool(_CNN.match(name)) and not _ATTENTION.search(name)


@dataclass(frozen=True)
class Measured:
    """A row of the data set: a network on a GPU with its measured time."""

    gpu: str
    layout: str
    model: str
    size: int
    batch: int
    ns: float
    totals: Totals
    number: int = -1
    """The number at the end of the row's id."""

    @property
    def graph(self) -> Launches | None:
        """Return the kernels that the network launches; None if its graph can't be built, or if the graph's totals
        differ from those in the data set."""
        return _launches(self.model, self.size, self.batch, self.layout, self.totals)


@cache
def read(folder: Path) -> Sequence[Measured]:
    """Read the rows of the data set; return no rows if the file does not exist."""
    path = folder / "timm_e2e.csv"
    found = read_rows(path, _measured) if path.exists() else []
    return [each for each in found if each is not None]


def _measured(row: Mapping[str, str]) -> Measured | None:
    """Return the network and time in a row of the data set; None if its GPU has no sheet."""
    if filled(row, "gpu") not in SHEETS:
        return None
    batch, size = int(row["batch_size"]), int(row["img_size"])
    totals = Totals(
        2e9 * float(row["gmacs"]), 1e6 * float(row["macts"]), 1e6 * float(row["param_count"]), batch, 3 * size * size
    )
    return Measured(
        SHEETS[row["gpu"]],
        row["layout"],
        row["model"],
        size,
        batch,
        1e6 * float(row["step_time"]),
        totals,
        row_number(row),
    )


@cache
def _launches(model: str, size: int, batch: int, layout: str, totals: Totals) -> Launches | None:
    make = next(
        (found for family in (*FAMILIES, mobile, vision_transformer, *BRANCHES, *PARALLEL) if (found := family(model))),
        None,
    )
    if make is None:
        return None
    try:
        network = make(batch, size)
    except VerifyException:  # the image size does not fit the network's windows
        return None
    if not totals.same(2 * network.size.macs, network.size.activations, network.size.parameters):
        return None
    network.cast_weights()
    launches = Launches.of(network)
    return launches if layout == "nchw" else _with_layout_changes(launches)


def _with_layout_changes(launches: Launches) -> Launches:
    """Add layout changes before and after depthwise convolutions on 2^31 elements or more.

    cuDNN does not support these convolutions; PyTorch's own kernel does, but reads and writes the layout channels
    first.
    """
    kernels, counts = list(launches.kernels), list(launches.counts)
    for kernel, count in zip(launches.kernels, launches.counts, strict=True):
        if isinstance(kernel.op, ConvOp) and kernel.numbers["groups"] == kernel.numbers["c"] > 1:
            images = [element_count(tensor_of(value)) for value in (kernel.op.x, kernel.op.y)]
            if max(images) >= 2**31:
                moved = kernel.numbers["bytes"] * sum(images)
                numbers = {"bytes": kernel.numbers["bytes"], "cols": sum(images), "read": moved, "written": moved}
                kernels.append(replace(kernel, kernel_class="copy", numbers=numbers))
                counts.append(count)
    return Launches(tuple(kernels), np.array(counts), np.zeros(len(kernels), bool))


def rows(fit_dir: Path, on_dir: Path) -> list[Row]:
    """Return the rows of the data set in `on_dir`; their times are predicted with constants fitted on networks and
    GEMMs in `fit_dir`."""
    on, train = read(on_dir), read(fit_dir)
    fitted = constants(train, fit_dir) if on else {}
    result: list[Row] = []
    for (gpu, layout), found in fitted.items():
        known, judged = (_part(part, gpu, layout) for part in (train, on))
        result += _evaluate(judged, known, found)
    return result


def constants(train: Sequence[Measured], fit_dir: Path) -> dict[tuple[str, str], dict[Key, dict[str, float]]]:
    """Fit constants to the times of the networks in `train` that have graphs, by GPU and layout (`nchw`, `nhwc`).

    Constants of matrix products are not fitted here: they are those fitted on measured matrix products in `fit_dir`.
    """
    products = _products(fit_dir)
    result: dict[tuple[str, str], dict[Key, dict[str, float]]] = {}
    for gpu, layout in dict.fromkeys((each.gpu, each.layout) for each in train):
        graphs = [(graph, each.ns) for each in _part(train, gpu, layout) if (graph := each.graph)]
        parts = members([graph for graph, _ in graphs], sheet(gpu), _more(layout))
        free = [each for each in _FREE if layout == "nchw" or each.name != "conversion"]
        start: dict[Key, Mapping[str, float]] = {
            ("gemm", "f16"): products.get(gpu, {}),
            ("bidirectional", "f16"): _NO_CACHE,
        }
        result[gpu, layout] = fit_networks(parts, np.array([ns for _, ns in graphs]), start, free)
        print(f"fitted {gpu} {layout} on {len(graphs)} graphs", file=sys.stderr)
    return result


def records(fit_dir: Path, on_dir: Path) -> dict[str, dict[tuple[str, str], Record]]:
    """Fit constants of convolutions and reductions in f16 with layout channels last to complete networks, by GPU.

    Each record states the error on networks that were not fitted. Constants of element-wise kernels are fitted on data
    sets of single kernels instead, which determine them better.
    """
    train = read(fit_dir)
    result: dict[str, dict[tuple[str, str], Record]] = {}
    for gpu in dict.fromkeys(each.gpu for each in train):
        graphs = [(graph, each.ns) for each in _part(train, gpu, SHIPPED_LAYOUT) if (graph := each.graph)]
        parts = members([graph for graph, _ in graphs], sheet(gpu), _more(SHIPPED_LAYOUT))
        free = [each for each in _FREE if each.kernel_class in dict(_WRITTEN) and each.name != "conversion"]
        start = {key: known for key, known in _shipped(gpu, parts).items() if key not in _WRITTEN}
        found = fit_networks(parts, np.array([ns for _, ns in graphs]), start, free)
        rows = _rows_of_graphs(_part(read(on_dir), gpu, SHIPPED_LAYOUT), found)
        origin = f"fitted on {len(graphs)} whole networks on {gpu} (timm_e2e, channels last, amp); {_judged(rows)}"
        result[gpu] = {key: Record(*key, found[key], origin, library="pytorch") for key in _WRITTEN if key in found}
    return result


def _judged(rows: Sequence[Row]) -> str:
    """Return the words for the errors on networks that were not fitted, apart for convolutional networks and vision
    transformers (all others that are represented as graphs)."""
    parts: list[str] = []
    for kind, name in (("CNN", "convolutional networks"), ("other", "vision transformers")):
        errors = [abs(row.predicted_ns / row.measured_ns - 1) for row in rows if kind in row.group]
        parts += [f"{100 * float(np.mean(errors)):.1f} % off on {len(errors)} {name}"] if errors else []
    return f"{' and '.join(parts)}, none of which was fitted"


def shipped_rows(on: Sequence[Measured]) -> list[Row]:
    """Return rows of networks with graphs, predicted with the shipped constants."""
    return [row for gpu in dict.fromkeys(each.gpu for each in on) for row in _shipped_rows(gpu, on)]


def _shipped_rows(gpu: str, on: Sequence[Measured]) -> list[Row]:
    judged = _part(on, gpu, SHIPPED_LAYOUT)
    parts = members([graph for each in judged if (graph := each.graph)], sheet(gpu), {})
    return _rows_of_graphs(judged, _shipped(gpu, parts))


def _shipped(gpu: str, keys: Iterable[Key]) -> dict[Key, Mapping[str, float]]:
    """Return the shipped constants of a GPU by class and element type; those of attention are replaced by values for
    attention without a cache."""
    known = {key: constants_for(sheet(gpu), *key, library="pytorch").constants for key in keys}
    attention = ("prefill", "bidirectional")
    return {key: {**found, **_NO_CACHE} if key[0] in attention else found for key, found in known.items()}


def _rows_of_graphs(on: Sequence[Measured], found: Mapping[Key, Mapping[str, float]]) -> list[Row]:
    return [row for row in (_evaluate(on, (), found) if on else ()) if row.origin == "graph"]


def _part(networks: Sequence[Measured], gpu: str, layout: str) -> list[Measured]:
    return [each for each in networks if (each.gpu, each.layout) == (gpu, layout)]


def _more(layout: str) -> dict[str, float]:
    return {"planar": float(layout == "nchw")}


def _evaluate(on: Sequence[Measured], train: Sequence[Measured], found: Mapping[Key, Mapping[str, float]]) -> list[Row]:
    """Return rows of one GPU and layout, predicted with the constants `found`. If `train` is empty, only networks with
    graphs have rows."""
    if not on:
        return []
    gpu, layout = on[0].gpu, on[0].layout
    chip = Chip.of(sheet(gpu), "f16")
    graphs = {index: graph for index, each in enumerate(on) if (graph := each.graph)}
    times = network_ns(members(list(graphs.values()), sheet(gpu), _more(layout)), found, len(graphs)) if graphs else ()
    options = dict(zip(graphs, times, strict=True))
    kinds = (True, False) if train else ()
    models = {cnn: _totals_of([each for each in train if is_cnn(each.model) == cnn], chip) for cnn in kinds}
    result: list[Row] = []
    for index, each in enumerate(on):
        cnn = is_cnn(each.model)
        if index not in options and not train:
            continue
        predicted = float(options[index]) if index in options else models[cnn].ns(each.totals, chip)
        result.append(
            Row(
                *("timm_e2e", gpu, each.model, f"{layout} {each.batch}x{each.size}"),
                (gpu, layout, "CNN" if cnn else "other"),
                *(each.ns, predicted, each.totals.roofline_ns(chip)),
                "graph" if index in options else "MACs",
            )
        )
    return result


def _totals_of(train: Sequence[Measured], chip: Chip) -> TotalsModel:
    """Fit the model for networks without graphs to the times of such networks in `train`, or of all networks in `train`
    if too few have no graph."""
    similar = [each for each in train if each.graph is None]
    similar = similar if len(similar) >= _ENOUGH else list(train)
    return fit_totals([each.totals for each in similar], np.array([each.ns for each in similar]), chip)


_ENOUGH = 20


def _products(folder: Path) -> dict[str, dict[str, float]]:
    """Return constants of matrix products in 16-bit types, fitted on measured products in a folder, by GPU."""
    groups = [group for group in read_groups(folder, "llmservingsim_layers") if group.kernel_class == "gemm"]
    chips = {group.gpu: Chip.of(sheet(group.gpu), group.element) for group in groups}
    return {
        group.gpu: dict(fit(CLASSES["gemm"], [group], {group.gpu: chips[group.gpu]}).constants)
        for group in groups
        if group.gpu.startswith("rtx")
    }

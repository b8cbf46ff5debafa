"""Graphs of complete networks: their numbers of operations and weights equal published ones, and their kernel launches
those of frameworks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.networks import neusight as network_neusight
from benchmarks.networks import timm as network_timm
from benchmarks.networks.driver import Driver, Pass, fit_driver, uncleared
from benchmarks.networks.families import FAMILIES, Maker
from benchmarks.networks.fit import Free, fit_networks, members, network_ns
from benchmarks.networks.graph import Network
from benchmarks.networks.launches import Launches, sheet
from benchmarks.networks.memory import Taken, segments, taken
from benchmarks.networks.mobiles import mobile
from benchmarks.networks.sizes import TRANSFORMERS, Step
from benchmarks.networks.totals import Totals, TotalsModel, fit_totals
from benchmarks.networks.training import Training, read_published
from benchmarks.networks.transformers import backward, forward
from benchmarks.networks.vits import vision_transformer
from dialects.diagnostics import InputError
from dialects.graph import CompareOp, MatmulOp, SelectOp, TanhOp, shape_of
from interp.kinds.gpu.chip import Chip

DATA = Path(__file__).parents[2] / "data" / "gpu"


def made(name: str) -> Maker:
    return next(maker for family in (*FAMILIES, mobile, vision_transformer) if (maker := family(name)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size", "gmacs", "mega_activations", "mega_parameters"),
    [  # from the papers' or PyTorch Image Models' tables
        ("resnet18", 224, 1.82, 2.48, 11.69),
        ("resnet50", 224, 4.11, 11.11, 25.56),
        ("resnext50_32x4d", 224, 4.26, 14.40, 25.03),
        ("vgg16", 224, 15.47, 13.56, 138.36),
        ("densenet121", 224, 2.87, 6.90, 7.98),
        ("mobilenetv2_100", 224, 0.30, 6.68, 3.50),
        ("efficientnet_b0", 224, 0.39, 6.75, 5.29),
        ("tf_efficientnetv2_s", 300, 5.35, 22.73, 21.46),
        ("regnetx_016", 224, 1.62, 7.93, 9.19),
        ("regnety_064", 224, 6.39, 16.41, 30.58),
        ("convnext_tiny", 224, 4.47, 13.44, 28.59),
        ("vit_base_patch16_224", 224, 17.58, 23.90, 86.57),
    ],
)
def test_totals_are_the_published_ones(
    name: str, size: int, gmacs: float, mega_activations: float, mega_parameters: float
) -> None:
    network = made(name)(2, size)
    assert network.size.macs == pytest.approx(gmacs * 1e9, rel=0.025)
    assert network.size.activations == pytest.approx(mega_activations * 1e6, rel=0.01)
    assert network.size.parameters == pytest.approx(mega_parameters * 1e6, rel=0.01)


def test_repeated_layers_are_stored_once() -> None:
    net = Network()
    with net.times(3), net.times(2):
        net.linear(net.value(4, 8), 16)
    assert [(op.name, count) for op, count in net.launches] == [("graph.matmul", 6)]


def test_a_training_step_has_two_products_for_each_of_the_forward_pass() -> None:
    model, step = TRANSFORMERS["gpt2_large"], Step(1, 128, training=True)
    ahead, back = (
        sum(count * op.work().macs for op, count in make(model, step).launches if isinstance(op, MatmulOp))
        for make in (forward, backward)
    )
    assert back == 2 * ahead


def test_a_maximums_gradient_compares_halves_and_masks() -> None:
    """PyTorch's derivative of `maximum` has five kernels: comparison, halving, selection, comparison, masking."""
    model, step = TRANSFORMERS["opt_13"], Step(1, 64, training=True)
    elements = model.heads * step.length**2
    scores = [op for op, _ in backward(model, step).launches if shape_of(op.results[0]) == (1, 32, 64, 64)]
    found = [op for op in scores if isinstance(op, CompareOp | SelectOp)]
    assert [op.name.removeprefix("graph.") for op in found] == ["compare", "select", "compare", "select"]
    assert sum(op.work().bytes for op in found) == pytest.approx(32 * elements, rel=0.01)


def test_errors_of_a_training_step_are_of_both_passes_and_their_sum() -> None:
    run = network_neusight.Run("t4", "bert_large", "train", False, 8, 512, 300.0, (100.0, 200.0))
    step = Training(run, (90.0, 220.0), {"neusight": (110.0, 190.0)})
    assert step.errors("ours") == pytest.approx((-10, 10, 10 / 3))
    assert step.errors("neusight") == pytest.approx((10, -5, 0))
    assert step.errors("ops") is None


def test_published_training_steps_are_rows_of_the_data_set() -> None:
    """In the data set, the times of the forward and the backward pass add up to the time of the step, and no two rows
    have equal GPU, model, batch and length."""
    published = read_published()
    steps = [run for run in network_neusight.read(DATA) if run.mode == "train"]
    assert steps
    for run in steps:
        assert sum(run.passes_ns) == pytest.approx(run.ns)
        theirs = published[run.gpu, run.model, run.batch, run.length]["neusight"]
        assert sum(theirs) == pytest.approx(run.ns, rel=0.3)


def test_fused_steps_launch_less_and_move_less() -> None:
    model = TRANSFORMERS["gpt2_large"]
    plain, fused = (Launches.of(forward(model, Step(4, 128, fused=word))) for word in (False, True))
    assert fused.counts.sum() < plain.counts.sum()
    assert fused.roofline_ns(sheet("t4")) < plain.roofline_ns(sheet("t4"))


def test_overlapped_host_and_device_take_the_longer_time() -> None:
    launches, gpu = Launches.of(forward(TRANSFORMERS["bert_large"], Step(8, 512))), sheet("t4")
    device = float((launches.counts * launches.kernel_ns(gpu, {})).sum())
    assert launches.total_ns(gpu, {}, 0) == pytest.approx(device)
    assert launches.total_ns(gpu, {}, 1e8) == pytest.approx(1e8 * launches.counts.sum(), rel=1e-3)


def test_times_of_kernels_after_a_wait_add_up() -> None:
    """The host can't submit a kernel before the device has finished what it waits for, so that no time is hidden."""
    net, gpu = Network(), sheet("t4")
    x = net.value(64, 64)
    for _ in range(10):
        net.sum(x, x)
    with net.waits():
        for _ in range(10):
            net.sum(x, x)
    launches = Launches.of(net)
    assert list(launches.waited) == [False] * 10 + [True] * 10
    ns = float(launches.kernel_ns(gpu, {})[0])
    assert launches.total_ns(gpu, {}) == pytest.approx(20 * ns)
    each = (ns**4 + 1e4**4) ** (1 / 4)
    assert launches.total_ns(gpu, {}, lambda kernel: 1e4) == pytest.approx(20 * each)


def test_a_permuted_operand_costs_a_sector_per_element() -> None:
    """A sum moves 12 bytes per element in f32; if one operand takes a sector of 32 bytes for each, it moves 40."""
    net = Network()
    x, y = net.value(1 << 14, 1 << 14), net.value(1 << 14, 1 << 14)
    net.sum(x, y)
    net.sum_across(x, y)
    plain, across = Launches.of(net).kernel_ns(sheet("a100_40_pcie"), {})
    assert across / plain == pytest.approx(40 / 12, rel=0.02)


@pytest.mark.parametrize(
    ("model", "batch", "length", "segments", "gigabytes"),
    [  # of eager PyTorch 2.1.2 and transformers 4.38.1: storages traced on the device `meta`, sizes of its allocator
        ("bert_large", 2, 512, 147, 3.62),
        ("bert_large", 8, 512, 307, 14.49),
        ("gpt2_large", 1, 1024, 373, 12.44),
        ("gpt2_large", 4, 1024, 638, 51.89),
        ("gpt3_27", 1, 2048, 472, 58.32),
        ("gpt3_xl", 1, 2048, 360, 39.55),
        ("opt_13", 1, 2048, 69, 31.71),
        ("opt_13", 2, 2048, 71, 63.44),
        ("switchxl4", 1, 512, 505, 11.94),
        ("switchxl4", 2, 512, 851, 25.47),
    ],
)
def test_a_forward_pass_takes_the_memory_that_pytorch_takes(
    model: str, batch: int, length: int, segments: int, gigabytes: float
) -> None:
    found = taken(forward(TRANSFORMERS[model], Step(batch, length, training=True)))
    assert found.segments == pytest.approx(segments, rel=0.17)
    assert found.bytes == pytest.approx(gigabytes * 1e9, rel=0.06)


def test_a_tensor_that_is_not_kept_leaves_its_memory_to_the_next_ones() -> None:
    """Of a chain of scalings, two tensors exist at a time; the gradient of a hyperbolic tangent needs its result."""
    chain, kept = Network(), Network()
    x = chain.value(1 << 22)
    for _ in range(100):
        x = chain.scaled(x)
    y = kept.value(1 << 22)
    for _ in range(100):
        y = kept.unary(TanhOp, y)
    assert segments(chain) == [1 << 24] * 2
    assert segments(kept) == [1 << 24] * 100


def test_small_tensors_share_segments() -> None:
    net = Network()
    x = net.value(1 << 17)
    for _ in range(8):
        x = net.unary(TanhOp, x)
    assert segments(net) == [2 << 20] * 2


def test_a_driver_adds_allocations_and_clears_only_what_was_in_use() -> None:
    gpu = sheet("a100_80_pcie")
    half, full = Taken(10, 10**10, 2 * 10**10), Taken(10, 6 * 10**10, 8 * 10**10)
    driver = Driver(allocation_ns=1e6, cleared_per_s=1e11)
    assert uncleared(gpu, half) == 0
    assert uncleared(gpu, full) == pytest.approx(6e10 - (80 * 2**30 - 8e10))
    assert driver.ns(gpu, half, 1e8) == pytest.approx(1.1e8)
    assert driver.ns(gpu, full, 1e8) == pytest.approx(uncleared(gpu, full) / 1e11 * 1e9)
    assert driver.ns(gpu, full, 1e9) == pytest.approx(1.01e9)


def test_a_fit_recovers_a_driver() -> None:
    gpu, true = sheet("a100_80_pcie"), Driver(allocation_ns=2.5e5, cleared_per_s=4e10)
    memories = [
        Taken(n, int(size * 1e9), int(peak * 1e9)) for n, size, peak in ((300, 14, 18), (70, 63, 77), (500, 30, 40))
    ]
    passes = [Pass(gpu, each, 3e8, true.ns(gpu, each, 3e8)) for each in memories]
    found = fit_driver(passes)
    assert found.allocation_ns == pytest.approx(true.allocation_ns, rel=0.05)
    assert found.cleared_per_s == pytest.approx(true.cleared_per_s, rel=0.05)


def test_passes_without_a_drivers_time_need_no_driver() -> None:
    memory = Taken(300, 14 * 10**9, 18 * 10**9)
    found = fit_driver([Pass(sheet("h100_sxm"), memory, 3e8, 2.9e8)])
    assert (found.allocation_ns, found.cleared_per_s) == pytest.approx((1e3, 2e12))


def test_a_drivers_constants_are_not_fitted_to_the_same_network() -> None:
    """A step of GPT-2 is predicted with the driver of BERT's steps, whatever GPT-2's own steps took."""

    def run(model: str, slowdown: float) -> network_neusight.Run:
        free = network_neusight.Run("t4", model, "train", False, 1, 128, 0.0, (0.0, 0.0))
        first, second = machine.passes_ns(free)
        return replace(free, passes_ns=(first * slowdown, second))

    machine = network_neusight.Machine(sheet("t4"), {}, {"bmm": 1e3})
    bert, gpt = run("bert_large", 1.5), run("gpt2_large", 9.0)
    both, one = (network_neusight.driver_of(gpt, steps, {"t4": machine}) for steps in ((bert, gpt), (bert,)))
    assert both == one
    assert one is not None
    assert one.allocation_ns > 1e3
    assert network_neusight.driver_of(gpt, [gpt], {"t4": machine}) is None


def test_a_fit_recovers_the_constants_of_the_times() -> None:
    networks = [Launches.of(made(name)(64, 224)) for name in ("resnet18", "resnet50", "vgg11", "densenet121")]
    parts = members(networks, sheet("rtx3090"), {})
    start = {key: {"dram": 0.8} for key in parts if key[0] == "elementwise"}
    measured = network_ns(parts, {key: {"dram": 0.6} for key in start}, len(networks))
    fitted = fit_networks(parts, measured, start, [Free("elementwise", "dram"), Free("elementwise", "none")], 100)
    assert all(fitted[key]["dram"] == pytest.approx(0.6, rel=0.02) for key in start)
    assert network_ns(parts, fitted, len(networks)) == pytest.approx(measured, rel=0.01)


def test_a_fit_of_totals_recovers_its_model() -> None:
    chip = Chip.of(sheet("rtx3090"), "f16")
    networks = [
        Totals(flops * 1e9, activations * 1e6, 25e6, 256, 3 * 224 * 224)
        for flops in (0.5, 2, 8, 32)
        for activations in (2, 8, 30)
    ]
    true = TotalsModel(issue=0.6, ridge=100, passes=8, overlap=2)
    fitted = fit_totals(networks, np.array([true.ns(each, chip) for each in networks]), chip)
    for each in networks:
        assert fitted.ns(each, chip) == pytest.approx(true.ns(each, chip), rel=0.02)
        assert fitted.ns(replace(each, activations=2 * each.activations), chip) > fitted.ns(each, chip)
        assert fitted.ns(each, chip) > each.roofline_ns(chip)


def test_a_graph_whose_totals_differ_from_the_table_is_not_used() -> None:
    table = network_timm.read(DATA)
    assert all(each.ns > 0 for each in table)
    resnet = next(each for each in table if "resnet" in each.model and each.graph is not None)
    other = replace(resnet, totals=replace(resnet.totals, parameters=1.1 * resnet.totals.parameters))
    assert other.graph is None


@pytest.mark.parametrize(
    ("name", "cnn"),
    [
        ("resnet50", True),
        ("tf_efficientnetv2_s", True),
        ("mobilenetv4_conv_blur_medium", True),
        ("mobilenetv4_hybrid_medium", False),
        ("dm_nfnet_f2", True),
        ("botnet26t_256", False),
        ("vit_base_resnet50d_224", False),
        ("swin_base_patch4_window12_384", False),
    ],
)
def test_convolutional_networks_are_recognized_by_family(name: str, cnn: bool) -> None:
    assert network_timm.is_cnn(name) == cnn


def test_runs_on_amd_gpus_or_on_several_gpus_are_skipped() -> None:
    assert network_neusight.SHEETS.get("AMD_Instinct_MI250") is None
    assert all(sheet(name) for name in network_neusight.SHEETS.values())


def test_an_unreadable_row_is_an_error_with_its_line(tmp_path: Path) -> None:
    text = (DATA / "timm_e2e.csv").read_text().splitlines()
    columns, row = text[0].split(","), text[1].split(",")
    row[columns.index("step_time")] = "fast"
    (tmp_path / "timm_e2e.csv").write_text("\n".join([*text[:3], ",".join(row)]) + "\n")
    with pytest.raises(InputError, match="'fast'") as raised:
        network_timm.read(tmp_path)
    assert raised.value.place == f"{tmp_path / 'timm_e2e.csv'}:4"

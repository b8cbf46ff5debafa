"""Graphs of complete networks: their numbers of operations and weights equal published ones, and their kernel launches
those of frameworks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.networks import neusight as network_neusight
from benchmarks.networks import timm as network_timm
from benchmarks.networks.families import FAMILIES, Maker
from benchmarks.networks.fit import Free, fit_networks, members, network_ns
from benchmarks.networks.graph import Network
from benchmarks.networks.launches import Launches, sheet
from benchmarks.networks.mobiles import mobile
from benchmarks.networks.sizes import TRANSFORMERS, Step
from benchmarks.networks.totals import Totals, TotalsModel, fit_totals
from benchmarks.networks.training import Training, read_published
from benchmarks.networks.transformers import backward, forward
from benchmarks.networks.vits import vision_transformer
from dialects.diagnostics import InputError
from dialects.graph import CompareOp, MatmulOp, SelectOp, shape_of
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

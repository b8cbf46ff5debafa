"""Tests of machines: the machine that a program's `hw` ops describe, and machine files."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.hw import DeviceOp, LinkOp
from dialects.locations import place_of
from interp.machine.composition import Machine, machine_ops
from interp.machine.records import Gpu, Pim


def machine(text: str, tmp_path: Path) -> Machine:
    path = tmp_path / "m.mlir"
    path.write_text(text)
    return Machine.of(ModuleOp(machine_ops(str(path))))


def test_a_shipped_machine():
    found = Machine.of(ModuleOp(machine_ops("a100-newton")))
    assert list(found.devices) == ["gpu", "pim"]
    assert found.primary == "gpu"
    assert isinstance(found.device("gpu"), Gpu)
    pim = found.device("pim")
    assert isinstance(pim, Pim)
    assert pim.memory_bytes == 16 << 30
    assert found.link("gpu", "pim") is found.link("pim", "gpu")


def test_a_single_sheet_is_a_machine_with_one_device(tmp_path: Path):
    found = Machine.of(ModuleOp(machine_ops("newton")))
    assert list(found.devices) == ["pim"]
    path = tmp_path / "mine.sheet"
    path.write_text("device quick = toy_gpu with launch 1 ns\n")
    assert Machine.of(ModuleOp(machine_ops(str(path)))).device("gpu").launch_ns == 1.0


def test_each_load_of_a_machine_makes_new_ops_with_locations():
    first, second = machine_ops("toy"), machine_ops("toy")
    assert (place_of(first[2]) or "").endswith("toy.mlir:4:1")
    assert isinstance(first[0], DeviceOp)
    assert isinstance(first[2], LinkOp)
    assert first[0] is not second[0]


def test_sheets_are_found_in_the_folder_of_the_machine(tmp_path: Path):
    (tmp_path / "mine.sheet").write_text("device quick = toy_gpu with launch 1 ns\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/o.sheet").write_text("device slow = toy_gpu with launch 1 ms\n")
    found = machine(
        'hw.device @a = "quick"\nhw.device @b = "other/o.sheet:slow"\nhw.device @c = "mine.sheet"', tmp_path
    )
    assert [device.launch_ns for device in found.devices.values()] == [1.0, 1e6, 1.0]


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        ('hw.device @a = "toy_gpuu"', "1:1", "there is no data sheet `toy_gpuu`; did you mean `toy_gpu`?"),
        (
            '\nhw.device @a = "toy_gpu" {lanch = 2}',
            "2:1",
            "no field `lanch` in toy_gpu; did you mean `launch`?",
        ),
        ('hw.device @a = "toy_link"', "1:1", "`toy_link` is a link, but a device is expected"),
        (
            'hw.device @a = "toy_gpu"\nhw.device @b = "toy_pim"\nhw.link @a to @b = "toy_gpu"',
            "3:1",
            "is a gpu, but a link",
        ),
        ('hw.device @a = "toy_gpu"\nhw.link @a to @b = "toy_link"', "2:1", "there is no device @b"),
        ('hw.device @a "toy_gpu"', "1:14", '`=` is expected here in hw.device, but `"toy_gpu"` is met'),
        ("func.func @f() {\n}", "1:1", "`func.func` was met"),
        ("// nothing", "1:1", "the machine holds no device"),
        ("", "1:1", "the machine holds no device"),
    ],
)
def test_errors_name_their_line(tmp_path: Path, text: str, place: str, sentence: str):
    with pytest.raises(InputError) as caught:
        machine(text, tmp_path)
    assert sentence in caught.value.message
    assert caught.value.place == f"{tmp_path}/m.mlir:{place}"


def test_wrong_machines_are_errors(tmp_path: Path):
    with pytest.raises(InputError, match="no machine or device `a100-newtn`; did you mean `a100-newton`"):
        machine_ops("a100-newtn")
    with pytest.raises(InputError, match="can't read the machine"):
        machine_ops(str(tmp_path / "nowhere.mlir"))
    path = tmp_path / "m.mlir"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        machine_ops(str(path))
    with pytest.raises(InputError, match="the program names no device"):
        Machine.of(ModuleOp([]))


def test_a_missing_link_is_an_error(tmp_path: Path):
    found = machine('hw.device @a = "toy_gpu"\nhw.device @b = "toy_pim"', tmp_path)
    with pytest.raises(InputError, match="no link joins @a and @b"):
        found.link("a", "b")
    with pytest.raises(InputError, match="there is no device @c; the machine has @a, @b"):
        found.link("a", "c")


PARTITIONED = """hw.device @gpu = "toy_gpu" {channels = 4, l2 = "8 MiB"}
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link" {arbitration = "partitioned"}
"""


def test_a_partitioned_gpu_keeps_the_channels_that_the_pim_leaves(tmp_path: Path):
    found = machine(PARTITIONED, tmp_path)
    gpu, unpartitioned = found.device("gpu"), found.unpartitioned.device("gpu")
    assert isinstance(gpu, Gpu)
    assert isinstance(unpartitioned, Gpu)
    assert (gpu.channels, gpu.bandwidth, gpu.l2_bytes, gpu.memory_bytes) == (3, 75e9, 6 << 20, 3 << 28)
    assert (unpartitioned.channels, unpartitioned.bandwidth, unpartitioned.l2_bytes, unpartitioned.memory_bytes) == (
        4,
        100e9,
        8 << 20,
        1 << 30,
    )
    assert (gpu.rates, gpu.launch_ns) == (unpartitioned.rates, unpartitioned.launch_ns)
    assert found.unpartitioned.device("pim") is found.device("pim")
    assert machine(PARTITIONED, tmp_path).device("gpu") is gpu


def test_two_pims_take_channels_of_one_gpu(tmp_path: Path):
    more = PARTITIONED + '\nhw.device @b = "toy_pim"\nhw.link @b to @gpu = "toy_link" {arbitration = "partitioned"}'
    gpu = machine(more, tmp_path).device("gpu")
    assert isinstance(gpu, Gpu)
    assert (gpu.channels, gpu.bandwidth) == (2, 50e9)


def test_a_machine_without_partitions_is_its_own_unpartitioned_machine(tmp_path: Path):
    found = machine(PARTITIONED.replace("partitioned", "separate"), tmp_path)
    assert found.unpartitioned is found


@pytest.mark.parametrize(
    ("old", "new", "place", "sentence"),
    [
        (
            "{channels = 4,",
            "{",
            "3:1",
            "@pim takes 1 memory channel of @gpu, but toy_gpu does not state how many it has",
        ),
        ("channels = 4", "channels = 1", "3:1", "which has 1 and must keep at least one; give @pim fewer ({channels ="),
        (
            '"toy_pim"',
            '"toy_gpu"',
            "3:1",
            "`arbitration partitioned` is for a GPU and a PIM in its memory, but @gpu is",
        ),
        (
            "partitioned",
            "partition",
            "3:1",
            "`arbitration` must be one of separate, partitioned, exclusive, shared, not",
        ),
        (
            "\nhw.link",
            '\nhw.device @b = "toy_gpu"\nhw.link @b to @pim = "toy_link" {arbitration = "shared"}\nhw.link',
            "5:1",
            "@pim is in the memory of @b, and `partitioned` would also put it into that of @gpu",
        ),
    ],
)
def test_channels_that_can_not_be_partitioned_are_an_error(
    tmp_path: Path, old: str, new: str, place: str, sentence: str
):
    with pytest.raises(InputError) as caught:
        machine(PARTITIONED.replace(old, new), tmp_path)
    assert sentence in caught.value.message
    assert caught.value.place == f"{tmp_path}/m.mlir:{place}"


@pytest.mark.parametrize("name", ["pimflow", "pimflow-artifact", "pimflow-artifact-plus"])
def test_pimflow_s_pim_takes_half_of_the_gpu_s_memory(name: str):
    found = Machine.of(ModuleOp(machine_ops(name)))
    gpu, unpartitioned, pim = found.device("gpu"), found.unpartitioned.device("gpu"), found.device("pim")
    assert isinstance(gpu, Gpu)
    assert isinstance(unpartitioned, Gpu)
    assert (unpartitioned.channels, gpu.channels, pim.channels) == (32, 16, 16)
    assert (unpartitioned.bandwidth, gpu.bandwidth) == (896e9, 448e9)
    assert (unpartitioned.l2_bytes, gpu.l2_bytes) == (8 << 20, 4 << 20)
    assert pim.memory_bytes == gpu.memory_bytes


@pytest.mark.parametrize(
    ("name", "own", "kept", "channels", "capacity", "rate"),
    [
        ("h100-newton", 80e9, 1.0, 64, 16 << 30, 448e9),
        ("h100-aim", 80e9, 1.0, 32, 16 << 30, 448e9),
        ("h100-hbm_pim", 80e9, 1.0, 128, 16 << 30, 448e9),
        ("h200-newton", 141e9, 1.0, 64, 16 << 30, 448e9),
        ("h200-aim", 141e9, 1.0, 32, 16 << 30, 448e9),
        ("h200-hbm_pim", 141e9, 1.0, 128, 16 << 30, 448e9),
        ("rtx4090-newton", 24e9, 0.5, 12, 3 << 30, 12 * 28e9),
        ("rtx4090-aim", 24e9, 0.5, 12, 6 << 30, 12 * 32e9),
        ("rtx4090-hbm_pim", 24e9, 1.0, 64, 8 << 30, 31.5e9),
    ],
)
def test_gpu_memory_and_pim_add_up(
    name: str, own: float, kept: float, channels: int, capacity: int, rate: float
) -> None:
    """The PIM is additional memory, or it takes half of the GPU's channels, and so of its memory and bandwidth."""
    found = Machine.of(ModuleOp(machine_ops(name)))
    gpu, whole, pim = found.device("gpu"), found.unpartitioned.device("gpu"), found.device("pim")
    assert isinstance(gpu, Gpu)
    assert (whole.memory_bytes, gpu.memory_bytes) == (own, own * kept)
    assert gpu.memory_bandwidth == whole.memory_bandwidth * kept
    assert gpu.channels + (channels if kept < 1 else 0) == whole.channels
    assert (pim.channels, pim.memory_bytes) == (channels, capacity)
    assert found.link("gpu", "pim").bandwidth == rate

"""Times of row-wise and element-wise kernels on GPUs, for kernels with known behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gpu.measurements import read_groups
from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.kernel_class import Estimate
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device


def estimate(kernel_class: str, numbers: Mapping[str, float], gpu: str = "v100_pcie", **constants: float) -> Estimate:
    sheet = load_device(gpu)
    assert isinstance(sheet, Gpu)
    found = CLASSES[kernel_class]
    known = {column.name: column.default or 0.0 for column in found.columns}
    columns = {name: np.array([float(value)]) for name, value in {**known, "bytes": 4, **numbers}.items()}
    return found.estimate(columns, Chip.of(sheet, "f32"), constants)


def rows(count: float, length: float) -> dict[str, float]:
    moved = count * length * 4
    return {"rows": count, "cols": length, "read": moved, "written": moved, "flops": 8 * count * length}


def test_softmax_keeps_short_rows_in_a_warp_and_rereads_long_rows():
    held, block = estimate("softmax", rows(65536, 1024)), estimate("softmax", rows(65536, 4096))
    assert held.facts["again_bytes"] == 0
    assert held.dram_bytes == 2 * 65536 * 1024 * 4
    assert block.facts["again_bytes"] == 2 * 65536 * 4096 * 4  # read again for the sum, and for the results


def test_concurrent_rows_that_fit_into_l2_are_reread_from_l2():
    """Softmax reads each row three times. A V100's L2 has 6 MiB, which all concurrent rows of 16 KiB fit into, so that
    DRAM is read about once; rows of 64 KiB do not fit and are read three times from DRAM."""
    long, short = (estimate("softmax", rows(8192, length)) for length in (16384, 4096))
    missed = [found.facts["again_missed"] / found.facts["again_bytes"] for found in (long, short)]
    assert missed[0] > 0.95
    assert missed[1] < missed[0]


def test_rows_run_in_waves():
    """An RMS norm of 1024 threads per row processes two rows per multiprocessor of an A100 at a time, 216 rows per
    wave."""
    occupied = {"occupancy": 1.0, "tail": 1.0, "row": 5000.0}
    one, two = (
        estimate("norm", {**rows(count, 4096), "centred": 0, "warm": 1}, "a100_80_sxm", **occupied).terms["rows"]
        for count in (216, 217)
    )
    assert two == 2 * one


def test_operands_in_l2_need_no_dram_traffic():
    small = rows(128, 4096)
    cold, warm = (estimate("elementwise", {**small, "warm": warm}, "rtx4090") for warm in (0, 1))
    assert cold.dram_bytes == 2 * 128 * 4096 * 4
    assert warm.dram_bytes < 0.01 * cold.dram_bytes
    assert warm.ns < cold.ns


def test_in_place_results_leave_more_of_l2_free():
    large = {**rows(2048, 4096), "warm": 1}
    apart, in_place = (estimate("norm", {**large, "footprint": size}, "rtx4090") for size in (0, large["read"]))
    assert in_place.dram_bytes < apart.dram_bytes


def test_an_op_of_two_kernels_has_two_launches():
    one, two = (estimate("elementwise", {**rows(1, 1000), "kernels": count}, start=3000.0).ns for count in (1, 2))
    assert two - one == pytest.approx(3000.0)


def test_a_gathered_element_moves_a_sector():
    """A sector of DRAM has 32 bytes, that is 8 elements of 4 bytes: gathering single elements moves eight times as many
    bytes as gathering rows."""
    single, sectors = estimate("gather", rows(80000, 1)), estimate("gather", rows(10000, 8))
    assert sectors.l2_bytes == 2 * 80000 * 4
    assert single.l2_bytes == 80000 * 4 * 2 + 80000 * 28


def test_few_long_rows_are_divided_among_blocks():
    sums = {"rows": 1, "cols": 1 << 24, "read": 4 << 24, "written": 4, "flops": 1 << 24}
    found = estimate("reduction", sums)
    assert found.terms["rows"] < found.terms["dram"]


def test_strided_rows_are_slower():
    contiguous, strided_ = (estimate("copy", {**rows(1, 1 << 24), "strided": strided}).ns for strided in (0, 1))
    assert strided_ > 1.2 * contiguous


def test_a_parallel_layer_has_two_additions(tmp_path: Path):
    """A layer of phi-2 adds both the attention's and the MLP's result to the residual: one row of the data set has the
    time of these two kernels."""
    head = "id,gpu,op,dtype,model,tp,m,n,k,bytes,lat_us\n"
    rows = [f"{model},A40,add,fp16,{model},1,64,2560,0,{64 * 2560 * 6},3.0" for model in ("Llama-2-7b-hf", "phi-2")]
    (tmp_path / "vidur_layers.csv").write_text(head + "\n".join(rows) + "\n")
    (adds,) = read_groups(tmp_path)
    assert adds.columns["kernels"].tolist() == [1, 2]
    assert adds.columns["read"].tolist() == [64 * 2560 * 4, 64 * 2560 * 8]


def test_calls_with_scalar_operands_need_more_host_time(tmp_path: Path):
    head = "id,gpu,op,dtype,part,rows,cols,lat_us,gx,bx,by\n"
    rows = [f"{op},T4,{op},fp32,test,64,64,30.0,1,1,1" for op in ("add", "addu")]
    (tmp_path / "neusight_vec.csv").write_text(head + "\n".join(rows) + "\n")
    (group,) = read_groups(tmp_path)
    assert group.columns["host"].tolist() == [1, 1.18]

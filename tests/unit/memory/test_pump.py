"""Tests of the benchmark of PUMP on a small trace, and of its errors for unknown sections and missing folders."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from benchmarks.memory import oversubscription, pump
from benchmarks.memory.pump import PAGED, Setting, Workload, gain, outcome
from interp.simulate.memory.problem import Kernel, KernelTrace, Tensor

LAYERS = 12


def network() -> KernelTrace:
    """The trace of a forward and a backward pass: each layer has a weight of 16 MiB, and writes an activation of 64 MiB
    that its backward kernel reads."""
    weights = range(LAYERS)
    made = range(LAYERS, 2 * LAYERS)
    tensors = [Tensor(f"w{each}", 16 << 20, True) for each in weights]
    tensors += [Tensor(f"a{each}", 64 << 20) for each in weights]
    forward = [
        Kernel("Conv2d_Forward", 8e6, (each, *((made[each - 1],) if each else ())), (made[each],)) for each in weights
    ]
    backward = [Kernel("Conv2d_Backward_Input", 8e6, (each, made[each]), (each,)) for each in reversed(weights)]
    return KernelTrace((*forward, *backward), tuple(tensors))


WORKLOAD = Workload("layers", network(), 512 << 20)


def test_pump_gains_more_with_a_lower_fault_service_rate() -> None:
    found = [gain(WORKLOAD, Setting(rate)) for rate in (3e9, 5e9, 8e9, 15.754e9)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 1.5
    assert found[-1] > 1


def test_pump_gains_more_with_a_longer_run_ahead_and_with_moves_of_dead_tensors() -> None:
    found = [gain(WORKLOAD, Setting(run_ahead=ahead)) for ahead in (0, 1, 4)]
    assert found == sorted(found)
    assert gain(WORKLOAD, Setting(reuse=False)) > gain(WORKLOAD, Setting())


def test_faults_in_groups_take_about_as_long_as_at_5_gb_per_second() -> None:
    rated, paged = (outcome(WORKLOAD, "uvm", setting) for setting in (Setting(), PAGED))
    assert paged.over_ideal == pytest.approx(rated.over_ideal, rel=0.05)
    assert paged.groups == pytest.approx(paged.faulted / (2 << 20) * 6, rel=0.05)


def test_tables_and_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copytree("tests/data/g10", tmp_path / "g10")
    folder = tmp_path / "pump"
    folder.mkdir()
    (folder / "workloads.csv").write_text("id,source,model,batch,gpu_GiB\nW1,g10,Small,1,40\n")
    assert oversubscription.main(["pump", str(folder), "workloads", "pages"]) == 0
    printed = capsys.readouterr().out
    assert "run-ahead 64, factor 80, dead memory is used again (reuse)" in printed
    assert "dead tensors keep their memory (stale)" in printed
    assert "a chunk of 2 MiB in 6 groups of 45 us over the bus of 15.754 GB/s: 5.20 GB/s" in printed


def test_unknown_sections_and_missing_folders_are_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pump.main([str(tmp_path / "none"), "workloads"]) == 1
    assert "error: " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        pump.main([str(tmp_path), "servce"])
    assert "unknown section `servce`" in capsys.readouterr().err
    assert oversubscription.main(["pmp"]) == 2

"""Tests of the benchmark of PIMFlow's plans: its rows, and its sweeps, each value of which a sheet must accept."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from benchmarks import pimflow, pimflow_sweep
from benchmarks.image_networks.plans import ACCOUNTINGS, ARTIFACT, FULL, WAYS, PlanJob, Row, planned
from benchmarks.image_networks.published import compared
from benchmarks.image_networks.tables import plans_table, write_csv
from dialects.diagnostics import InputError, notes_to
from interp.machine.composition import Machine
from lowering.machine.digest import digest
from ndpir.compiler.settings import apply, settings_of
from ndpir.frontends.machines import attach_machine


@pytest.fixture(scope="module")
def row() -> Row:
    with notes_to(lambda message, place: None):
        return planned(PlanJob("mobilenet_v2", ARTIFACT, WAYS["newton++"], published=True))


@pytest.mark.slow
def test_the_sums_of_published_times_equal_the_plan_s(row: Row):
    assert row.ns == pytest.approx(row.sum_ns)  # serial steps, and no time for data movement
    assert row.base_layers_ns * 1.365 == pytest.approx(
        1_454_400, rel=1e-3
    )  # the published time that the GPU is calibrated on
    assert row.base_layers_ns / row.layers_ns == pytest.approx(1.365, rel=0.07)


@pytest.mark.slow
def test_a_row_for_the_gpu_alone_precedes_each_network(row: Row, capsys: pytest.CaptureFixture[str]):
    rows = pimflow.with_baselines([row, replace(row, way="pimflow")])
    assert [each.way for each in rows] == ["baseline", "newton++", "pimflow"]
    assert rows[0].speedup == 1.0
    plans_table("title", rows)
    compared(rows)
    shown = capsys.readouterr().out
    assert "convs" in shown
    assert "mobilenet_v2, convolutions, newton++" in shown


@pytest.mark.slow
def test_a_row_is_written_to_a_csv_file(row: Row, tmp_path: Path):
    write_csv(tmp_path / "rows.csv", [row])
    with (tmp_path / "rows.csv").open(encoding="utf-8") as file:
        (read,) = csv.DictReader(file)
    assert float(read["ns"]) == row.ns
    with pytest.raises(InputError, match="can't be written"):
        write_csv(tmp_path, [row])


@pytest.mark.slow
@pytest.mark.parametrize("sweep_name", pimflow_sweep.SWEEPS)
def test_each_value_of_a_sweep_gives_a_valid_machine(sweep_name: str):
    sweep = pimflow_sweep.SWEEPS[sweep_name]
    jobs = pimflow_sweep.jobs_of(sweep, ["mobilenet_v2"], list(ACCOUNTINGS.values()), "pimflow")
    assert {job.accounting for job in jobs} == {ARTIFACT, FULL}
    for job in jobs:
        module = ModuleOp([])
        attach_machine(module, job.on, None)
        apply(module, settings_of(job.changes))
        assert Machine.of(module).primary == "gpu"


@pytest.mark.parametrize("sweep_name", ["channels", "macs", "clock", "bandwidth", "buffers"])
def test_a_sweep_contains_the_unchanged_machine(sweep_name: str):
    def machine_with(*changes: str) -> Machine:
        module = ModuleOp([])
        attach_machine(module, FULL.machine, None)
        apply(module, settings_of(changes))
        return Machine.of(module)

    usual = {"channels": 16, "macs": 16, "clock": 875, "bandwidth": 1, "buffers": 1}[sweep_name]
    assert digest(machine_with(*pimflow_sweep.SWEEPS[sweep_name].changes[FULL.name](usual))) == digest(machine_with())


def test_unknown_modes_and_models_are_errors(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(InputError, match="unknown mode `fast`; expected one of"):
        pimflow.main(["mobilenet_v2", "--modes", "fast"])
    with pytest.raises(InputError, match="unknown model `alexnet`; expected one of bert_2layer"):
        pimflow.main(["alexnet"])

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(pimflow_sweep, "import_module", missing)
    with pytest.raises(InputError, match="--plot needs matplotlib"):
        pimflow_sweep.main(["channels", "--plot", "a.svg"])

"""The benchmark of PIMFlow's plans: what its rows say, and that each value of each sweep is one that sheets take."""

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
from lowering.placement.baseline import digest
from ndpir.cli.machines import attach_machine
from ndpir.cli.settings import apply, settings_of


@pytest.fixture(scope="module")
def row() -> Row:
    with notes_to(lambda message, place: None):
        return planned(PlanJob("mobilenet_v2", ARTIFACT, WAYS["newton++"], published=True))


@pytest.mark.slow
def test_published_sums_are_those_of_the_plan(row: Row):
    assert row.ns == pytest.approx(row.sum_ns)  # one step after the other, and nothing for what moves
    assert row.base_layers_ns * 1.365 == pytest.approx(1_454_400, rel=1e-3)  # what the GPU is calibrated on
    assert row.base_layers_ns / row.layers_ns == pytest.approx(1.365, rel=0.05)


@pytest.mark.slow
def test_a_network_stands_under_the_gpu_alone(row: Row, capsys: pytest.CaptureFixture[str]):
    rows = pimflow.with_baselines([row, replace(row, way="pimflow")])
    assert [each.way for each in rows] == ["baseline", "newton++", "pimflow"]
    assert rows[0].speedup == 1.0
    plans_table("title", rows)
    compared(rows)
    shown = capsys.readouterr().out
    assert "convs" in shown
    assert "mobilenet_v2, convolutions, newton++" in shown


@pytest.mark.slow
def test_all_figures_of_a_row_are_written(row: Row, tmp_path: Path):
    write_csv(tmp_path / "rows.csv", [row])
    with (tmp_path / "rows.csv").open(encoding="utf-8") as file:
        (read,) = csv.DictReader(file)
    assert float(read["ns"]) == row.ns
    with pytest.raises(InputError, match="can't be written"):
        write_csv(tmp_path, [row])


@pytest.mark.slow
@pytest.mark.parametrize("what", pimflow_sweep.SWEEPS)
def test_each_value_of_a_sweep_makes_a_machine(what: str):
    sweep = pimflow_sweep.SWEEPS[what]
    jobs = pimflow_sweep.jobs_of(sweep, ["mobilenet_v2"], list(ACCOUNTINGS.values()), "pimflow")
    assert {job.accounting for job in jobs} == {ARTIFACT, FULL}
    for job in jobs:
        module = ModuleOp([])
        attach_machine(module, job.on, None)
        apply(module, settings_of(job.changes))
        assert Machine.of(module).primary == "gpu"


@pytest.mark.parametrize("what", ["channels", "macs", "clock", "bandwidth", "buffers"])
def test_a_sweep_holds_the_machine_as_it_is(what: str):
    def said(*changes: str) -> Machine:
        module = ModuleOp([])
        attach_machine(module, FULL.machine, None)
        apply(module, settings_of(changes))
        return Machine.of(module)

    usual = {"channels": 16, "macs": 16, "clock": 875, "bandwidth": 1, "buffers": 1}[what]
    assert digest(said(*pimflow_sweep.SWEEPS[what].changes[FULL.name](usual))) == digest(said())


def test_what_there_is_not_is_said(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(InputError, match="there is no mode `fast`; there are"):
        pimflow.main(["mobilenet_v2", "--modes", "fast"])
    with pytest.raises(InputError, match="there is no model `alexnet`; there are bert_2layer"):
        pimflow.main(["alexnet"])

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(pimflow_sweep, "import_module", missing)
    with pytest.raises(InputError, match="--plot needs matplotlib"):
        pimflow_sweep.main(["channels", "--plot", "a.svg"])

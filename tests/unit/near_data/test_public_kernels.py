"""Near-data programs compared with public kernels, which are measured in several forms (with and without redundant
loads, stores and ops): the law on the longer forms, and the tables of forms."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.near_data.ndpx_programs import FORMS, main, predicted, public_kernels
from interp.cost.near_data.files import read_law
from interp.machine.sheets.search import SHIPPED

LAW = read_law(SHIPPED / "calibrations" / "ndpx.law")


def test_forwarding_removes_as_many_loads_as_stores() -> None:
    """For each load that forwarding removes from a public kernel, the program becomes two lines shorter: a store is
    removed, too. The law therefore needs only one cost for both loads and stores of a unit's local memory."""
    kernels = public_kernels()
    assert len(kernels) == 319
    spared = [each.forms["none"][0] - each.forms["memory"][0] for each in kernels]
    lines = [each.lines["none"] - each.lines["memory"] for each in kernels]
    ops = [each.forms["none"][1] - each.forms["memory"][1] for each in kernels]
    assert lines == [2 * each for each in spared]
    assert not any(ops)


def test_the_law_predicts_longer_forms_as_well_as_the_shortest() -> None:
    """The law's mean error on each longer form is below 13 %, for the kernels whose shortest form it predicts within
    10 %."""
    kernels = public_kernels()
    took = {form: np.array([each.forms[form][2] for each in kernels], float) for form in ("none", "numbering", "both")}
    right = np.abs(predicted(LAW, kernels, "both") / took["both"] - 1) < 0.1
    assert right.mean() > 0.6
    for form in ("none", "numbering"):
        assert np.abs(predicted(LAW, kernels, form) / took[form] - 1)[right].mean() < 0.13
    assert (took["none"] >= 0.98 * took["both"]).all()


def test_the_price_of_local_memory_fits_public_kernels_best() -> None:
    """Of all tried costs of an access to a unit's local memory, the law's cost has the least mean error on the public
    kernels with such accesses. All kernels with equal sizes and counts together have the weight of one kernel."""
    kernels = [each for each in public_kernels() if each.forms["none"][0] > each.forms["memory"][0]]
    took = {form: np.array([each.forms[form][2] for each in kernels], float) for form in ("none", "numbering", "both")}
    right = np.abs(predicted(LAW, kernels, "both") / took["both"] - 1) < 0.1
    alike = Counter((each.elements, each.before) for each, good in zip(kernels, right, strict=True) if good)
    weights = np.array([1 / (alike[each.elements, each.before] or 1) for each in kernels]) * right

    def error(price: float) -> float:
        law = replace(LAW, scratch=price)
        off = [np.abs(np.log(predicted(law, kernels, form) / took[form])) for form in ("none", "numbering")]
        return float(np.average(np.mean(off, axis=0), weights=weights))

    prices = [0.0005 * step for step in range(2, 40)]
    assert min(prices, key=error) == pytest.approx(LAW.scratch)
    assert error(LAW.scratch) < 0.1


def test_the_table_compares_all_forms_of_a_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ncf.mlir").write_text(
        "func.func @main(%x: tensor<65536xf32>, %y: tensor<65536xf32>) -> tensor<65536xf32> {\n"
        "  %0 = graph.mul %x, %y : tensor<65536xf32>\n  %1 = graph.exp %0 : tensor<65536xf32>\n"
        "  %2 = graph.add %1, %x : tensor<65536xf32>\n  func.return %2 : tensor<65536xf32>\n}\n"
    )
    assert main([str(tmp_path / "ncf.mlir")]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("ncf ")][: len(FORMS)]
    assert [row[1] for row in rows] == list(FORMS)
    assert [row[3:6] for row in rows] == [
        ["5", "3", "15"], ["3", "3", "9"], ["2", "3", "12"], ["2", "3", "8"], ["2", "3", "8"],
    ]  # fmt: skip
    cycles = [int(row[6].replace(",", "")) for row in rows]
    assert cycles[0] > cycles[1] >= cycles[3] == cycles[4]
    assert rows[3][-1] == "1.46"


def test_a_machine_without_units_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--kernels", "--machine", "a100-newton"]) == 1
    assert "error: machine a100-newton has no near-data units" in capsys.readouterr().err

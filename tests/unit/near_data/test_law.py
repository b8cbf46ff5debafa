"""Tests of the law for cycles of near-data kernels: its shape, the fit of its constants, its files, and the benchmark
that reports its errors."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import known
from benchmarks.near_data.ndpx_cost import main, read
from dialects.diagnostics import InputError
from interp.kinds.ndp.files import law_text, read_law
from interp.kinds.ndp.fit import Rows, by_kernel, fit, inferred_reductions, middle, with_reductions
from interp.kinds.ndp.law import Counts, Kernels, Law
from interp.machine.sheets.search import SHIPPED

ROWS = Path(__file__).parents[2] / "data" / "ndpx" / "costs_open.csv"
LAW = SHIPPED / "calibrations" / "ndpx.law"


def drawn(count: int, seed: int) -> Kernels:
    draw = np.random.default_rng(seed)
    inputs, outputs, ops = (draw.integers(low, high, count).astype(float) for low, high in ((1, 9), (1, 5), (1, 12)))
    reductions = np.where(draw.uniform(size=count) < 0.3, np.ceil(outputs * draw.uniform(size=count)), 0.0)
    return Kernels(np.floor(2 ** draw.uniform(5, 24, count)), inputs, outputs, ops, reductions)


def test_time_grows_with_elements_and_has_a_floor() -> None:
    law, kernels = read_law(LAW), drawn(400, 0)
    before = law.floor(kernels)
    for scale in (1.0, 1.5, 2.0, 7.0):
        cycles = law.cycles(kernels._replace(elements=kernels.elements * scale))
        assert (cycles >= before).all()
        before = cycles


def test_stores_bound_large_kernels() -> None:
    """By the law, a large kernel that only stores one output stores 22 elements per cycle, one with several outputs 19
    of all of them; a large kernel that reduces takes 8 elements per cycle, and 4 for two reductions."""
    law, large = read_law(LAW), 10**8
    counts = ((1, 1, 1, 0), (2, 2, 4, 0), (2, 1, 4, 1), (2, 2, 4, 2))
    kernels = Kernels.of([Counts(large, *each) for each in counts])
    assert large / law.cycles(kernels) == pytest.approx([22.25, 18.7 / 2, 8.0, 4.1], rel=0.03)


def test_fewer_loads_ops_or_scratch_accesses_never_take_longer() -> None:
    law, kernels = read_law(LAW), drawn(2000, 7)
    scratch = [np.random.default_rng(seed).integers(1, 4, 2000).astype(float) for seed in (8, 9)]
    longer = kernels._replace(scratch_loads=scratch[0], scratch_stores=scratch[1])
    for field in ("inputs", "ops", "scratch_loads", "scratch_stores"):
        shorter = longer._replace(**{field: getattr(longer, field) - 1})
        assert (law.cycles(shorter) <= law.cycles(longer)).all(), field


@pytest.mark.slow
def test_a_fit_recovers_the_law_that_generated_the_rows() -> None:
    kernels = drawn(900, 1)
    made = replace(Law(), start=350, store=0.05, late_store=0.06, absorbed=3000, reduce=0.1)
    noise = np.exp(np.random.default_rng(2).normal(0, 0.01, 900))
    noise[::50] *= 3  # outliers
    rows = Rows(kernels, made.cycles(kernels) * noise)
    fresh = drawn(300, 3)
    off = np.abs(fit(rows).cycles(fresh) / made.cycles(fresh) - 1)
    assert off.max() < 0.05
    assert np.median(off) < 0.005


@pytest.mark.slow
def test_a_fit_infers_reductions_that_the_rows_do_not_state() -> None:
    kernels = drawn(900, 1)
    noise = np.exp(np.random.default_rng(2).normal(0, 0.01, 900))
    silent = Rows(kernels._replace(reductions=np.full(900, np.nan)), Law().cycles(kernels) * noise)
    law, large = fit(silent), kernels.elements > 10_000
    assert (inferred_reductions(law, silent) == kernels.reductions)[large].mean() > 0.95
    fresh = drawn(300, 3)
    assert np.median(np.abs(law.cycles(fresh) / Law().cycles(fresh) - 1)) < 0.01


def test_the_weighted_median_has_the_least_mean_error() -> None:
    values = np.random.default_rng(5).lognormal(0, 1, 41)
    means = np.abs(values[:, None] - values[None, :]) / values[None, :]
    assert middle(values) == values[means.mean(axis=1).argmin()]


def test_a_law_is_written_and_read_back(tmp_path: Path) -> None:
    law = replace(read_law(LAW), origin="fitted on a test")
    (tmp_path / "mine.law").write_text(law_text(law))
    assert read_law(tmp_path / "mine.law") == law


def test_shipped_constants_follow_from_the_public_rows(tmp_path: Path) -> None:
    """A fit on another processor may end at other constants, since numbers of reductions are inferred from errors that
    differ in the last digits; it is as good as the shipped one."""
    assert main(["--fit", str(ROWS), "--write", str(tmp_path / "new.law")]) == 0
    shipped, fresh = read_law(LAW), read_law(tmp_path / "new.law")
    assert shipped.origin == fresh.origin
    measured, counts = by_kernel(read(ROWS))

    def error(law: Law) -> float:
        cycles = law.cycles(with_reductions(measured.kernels, inferred_reductions(law, measured)))
        return float(np.average(np.abs(np.log(cycles / measured.cycles)), weights=counts))

    assert error(fresh) == pytest.approx(error(shipped), rel=1e-3)
    assert error(Law()) > 1.2 * error(shipped)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("start 290.85 cycles", "start -3 cycles", r":2:1: `-3` was met, but a number of 0 or more"),
        ("start 290.85 cycles", "start 291.88 ns", r"is not of the form `start NUMBER cycles`"),
        ("  start 290.85 cycles", "  begin 3 cycles", r"a law has no constant `begin`"),
        ("  start 290.85 cycles", "  factor 1 1 1 0.9", r"a law has no constant `factor`"),
        ("  start 290.85 cycles ", "  #", r"the law does not state `start`; state it in cycles"),
        (
            "  start 290.85 cycles",
            "  store 1 cycles/element\n  start 3 cycles",
            r"the constant `store` appears twice; keep one",
        ),
        ("law ", "cost ", r":1:1: `cost .* was met, but a law begins with"),
    ],
)
def test_an_invalid_law_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = LAW.read_text()
    assert old in text
    (tmp_path / "wrong.law").write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        read_law(tmp_path / "wrong.law")
    assert re.search(message, f"{error.value.place}: {error.value.message}")


def test_the_benchmark_is_found_by_its_name() -> None:
    assert known()["ndpx_cost"].parent.name == "near_data"
    assert "bars" not in known(), "a file that others import is no benchmark"


LAST = re.compile(r"ndpx MAPE ([\d.]+) % median ([\d.]+) % p90 ([\d.]+) %\n\Z")


def figures(out: str, row: str) -> list[list[float]]:
    """For each line of the output `out` that begins with `row`: the mean, the median and the 90th percentile of errors,
    %."""
    found = re.findall(rf"^{re.escape(row)} +[\d,]+ +([\d.]+) % +([\d.]+) % +([\d.]+) %$", out, re.MULTILINE)
    return [[float(each) for each in row] for row in found]


@pytest.mark.slow
def test_errors_on_unseen_kernels_are_within_documented_limits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--fit", str(ROWS)]) == 0
    out = capsys.readouterr().out
    last = LAST.search(out)
    assert last is not None
    mean, median, ninth = map(float, last.groups())
    assert (mean <= 5.5, median <= 1, ninth <= 14) == (True, True, True)
    _, unseen = figures(out, "law of 14 constants")
    assert unseen[0] <= 12
    published, _ = figures(out, "formula of 12 numbers, as published")
    assert published == [7.1, 1.5, 19.5], "as its authors state"


def test_rows_of_fitted_kernels_are_excluded_from_the_evaluation(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    head, *lines = ROWS.read_text().splitlines()
    keys = sorted({line.rpartition(",")[0] for line in lines})
    half, other = set(keys[::2]), set(keys[1::2]) | set(keys[:6:2])
    for name, part in (("fit", half), ("on", other)):
        chosen = [line for line in lines if line.rpartition(",")[0] in part]
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *chosen]) + "\n")
    assert main(["--fit", str(tmp_path / "fit.csv"), "--on", str(tmp_path / "on.csv")]) == 0
    out = capsys.readouterr().out
    counts = re.match(
        r"fitted on ([\d,]+) rows of fit.csv, judged on ([\d,]+) of on.csv; \d+ rows skipped, whose kernels", out
    )
    assert counts is not None
    assert sum(int(each.replace(",", "")) for each in counts.groups()) == len(lines)
    assert LAST.search(out)
    assert main(["--fit", str(tmp_path / "on.csv"), "--on", str(tmp_path / "on.csv")]) == 1
    assert "all kernels here are also in the `--fit` file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column `elements` is missing"),
        ("elements,inputs,outputs,ops\n1,1,1,1\n", "column `cycles` is missing"),
        ("elements,inputs,outputs,ops,cycles\n", "this file has no rows"),
        ("elements,inputs,outputs,ops,cycles\n8,1,1,1,x\n", ":2:1: error: met `x` in column cycles"),
        (
            "elements,inputs,outputs,ops,cycles\n0,1,1,1,9\n",
            "met `0` in column elements; expected an integer of at least 1",
        ),
        ("elements,inputs,outputs,ops,cycles\n8,1,1\n", "met `` in column ops"),
        ("elements,inputs,outputs,ops,cycles\n8,1,1,1,9\n", "met 1 distinct kernels, too few for 5 folds"),
    ],
)
def test_an_invalid_file_of_rows_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "rows.csv").write_text(text)
    assert main(["--fit", str(tmp_path / "rows.csv")]) == 1
    assert message in capsys.readouterr().err

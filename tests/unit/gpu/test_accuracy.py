"""The benchmark of GPU models' errors: its tables, its baselines, the errors for unreadable files, and the split of
data sets by shape."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gpu import record
from benchmarks.gpu.bars import BARS, Score, verdicts
from benchmarks.gpu.baselines import roofline, work
from benchmarks.gpu.fitted import Fitted, meter_key, meters_of
from benchmarks.gpu.fitted import read as read_fitted
from benchmarks.gpu.fitted import text as fitted_text
from benchmarks.gpu.folds import fold_scores, fold_tasks
from benchmarks.gpu.measurements import read_groups
from benchmarks.gpu.refit import all_tasks, chip_of, library_tasks, transfer_tasks
from benchmarks.gpu.write import fit_all, merged, records_of
from benchmarks.gpu_accuracy import main
from benchmarks.gpu_energy import metered_groups
from benchmarks.networks import neusight as network_neusight
from dialects.diagnostics import InputError
from interp.kinds.gpu.constants.calibration import read_calibration
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup, Submission
from interp.kinds.gpu.meter import Meter

SAMPLES = Path(__file__).parents[2] / "data" / "gpu"
SETS = [path.stem for path in SAMPLES.glob("*.csv")]
HEAD = "id,gpu,op,dtype,rows,cols,lat_us\n"
ROWS = "".join(f"{n},T4,{op},fp32,{2**n},4096,{30 + 2**n * 0.16}\n" for op in ("addu", "ln") for n in range(4, 14))


def folder(path: Path, text: str, name: str = "neusight_vec.csv") -> Path:
    path.mkdir(exist_ok=True)
    (path / name).write_text(text)
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def score(label: str, mape: float, rank: float = 0.99, kernel_class: str = "gemm") -> Score:
    return Score("made", "t4", "f32", label, kernel_class, {"model": FitErrors(9, mape, mape, 1.0, rank)})


def test_a_bar_is_met_by_its_mean_its_worst_group_and_its_ranks() -> None:
    met, *_ = verdicts([score("a", 5), score("b", 9)], BARS)
    assert (met.bar.name, met.mean(), met.misses) == ("GEMM", 7, [])
    missed, *_ = verdicts([score("a", 1), score("b", 17, rank=0.9)], BARS)
    assert missed.misses == [
        "mean 1.0 points above the bar",
        "1 of 2 groups above 16 %",
        "1 with rank correlation 0.97 or less",
    ]
    assert [verdict.bar.name for verdict in verdicts([score("bmm", 5)], BARS)] == ["batched GEMM"]


def test_the_roofline_counts_operations_by_definition() -> None:
    """The roofline of a convolution counts the operations of the direct algorithm, not those of the fastest one."""
    group = next(group for group in read_groups(SAMPLES, "neusight_conv") if group.gpu == "t4")
    c = group.columns
    flops, moved = work(group)
    assert np.array_equal(flops, 2 * c["batch"] * c["k"] * c["p"] * c["q"] * c["c"] * 9)
    chip = chip_of(group)
    assert np.all(roofline(group, chip) >= moved / chip.bandwidth * 1e9)


def test_convolutions_are_read_as_they_were_measured(tmp_path: Path) -> None:
    """DeepBench pads channels to multiples of 8 for tensor cores, and channels, rows and columns to multiples of 4 in
    int8. NeuSight's host time for a convolution grows along the set, from the first to the last one of each GPU."""
    head = "id,gpu,dtype,w,h,c,n,k,s,r,pad_w,pad_h,stride_w,stride_h,op,lat_us\n"
    rows = [f"b-{n},V100,{kind},55,54,3,8,64,3,3,1,1,1,1,conv2d_fwd,90\n" for n, kind in enumerate(("fp32", "fp16tc"))]
    rows.append("b-2,T4,int8,55,54,3,8,64,3,3,1,1,1,1,conv2d_fwd,90\n")
    groups = read_groups(folder(tmp_path / "deep", head + "".join(rows), "deepbench_conv.csv"))
    read = {group.element: [float(group.columns[name][0]) for name in "chwpq"] for group in groups}
    assert read == {"f32": [3, 54, 55, 54, 55], "f16": [8, 54, 55, 54, 55], "i8": [4, 56, 56, 56, 56]}
    head = "id,gpu,op,dtype,n,c,k,r,s,h,w,stride,pad,lat_us\n"
    rows = [f"neusight_conv-{n},T4,conv2d_fwd,fp32,1,8,8,3,3,9,9,1,1,90\n" for n in (5121, 5766, 6411)]
    (group,) = read_groups(folder(tmp_path / "near", head + "".join(rows), "neusight_conv.csv"))
    assert np.allclose(group.calls, [1, 6, 11])


@pytest.mark.slow
def test_only_tables_are_printed_to_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = folder(tmp_path / "data", HEAD + ROWS)
    assert run("--fit", data, "--on", data, "--jobs", 1, "--json", tmp_path / "scores.json") == 0
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()[2:4]] == ["element-wise", "layer"]
    assert "neusight_vec  t4   pytorch  f32   elementwise" in out
    assert "2 fits, 2 groups" in err
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert {found["label"] for found in scores["groups"]} == {"elementwise", "ln"}
    assert scores["classes"][0]["bar"] == 5.5


@pytest.mark.slow
def test_a_gpu_is_left_out_and_predicted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = folder(tmp_path / "data", HEAD + ROWS + ROWS.replace("T4", "L4"))
    assert run("--fit", data, "--on", data, "--jobs", 1, "--transfer", "l4", "--class", "norm") == 0
    out = capsys.readouterr().out
    assert "layer norm, GPU never seen" in out
    assert "l4" in out
    assert "t4" not in out


def test_gpus_without_a_sheet_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = folder(tmp_path / "data", HEAD + ROWS + "1,MI210,addu,fp32,4,4,9\n")
    assert run("--fit", data, "--on", data, "--jobs", 1, "--class", "norm") == 0
    assert "MI210 (1)" in capsys.readouterr().err


@pytest.mark.slow
def test_calibrations_are_written_for_gpus_and_libraries(tmp_path: Path) -> None:
    """A GPU's file has the constants of the chip, that of the library those of its kernels: for each compute
    capability, and for chips without measurements; `generic` has the means over libraries."""
    data, made = folder(tmp_path / "data", HEAD + ROWS), tmp_path / "made"
    assert run("--fit", data, "--jobs", 1, "--class", "elem", "--write", made) == 0
    written = sorted(path.name for path in made.iterdir())
    assert written == ["generic.calibration", "public.fitted", "pytorch.calibration", "t4.calibration"]
    (own,) = read_calibration(made / "t4.calibration").records.values()
    assert (own.kernel_class, own.element, set(own.constants)) == (
        *("elementwise", "f32"),
        {"dram", "l2_bytes_per_clock", "kept"},
    )
    assert own.origin.startswith("10 kernels of pytorch; ")
    kernels = read_calibration(made / "pytorch.calibration").records
    assert [record.capability for record in kernels.values()] == [0, 7.5]
    assert [set(own.constants) & set(record.constants) for record in kernels.values()] == [set(own.constants), set()]
    assert [*read_fitted(made / "public.fitted").submissions] == [
        ("neusight_vec", "t4", "f32", "elementwise", "pytorch")
    ]


def test_rows_with_an_empty_field_are_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "1,T4,addu,fp32,,4,9\n2,T4,,fp32,4,4,9\n3,T4,ln,fp32,4,4,\n4,,ln,fp32,4,4,9\n"
    data = folder(tmp_path / "data", HEAD + rows + ROWS)
    assert len(read_groups(data)) == 2
    message = (
        "neusight_vec.csv: note: 4 rows are skipped because of an empty field; "
        "the first is line 2, where `rows` is empty"
    )
    assert message in capsys.readouterr().err
    networks = "id,gpu,model,mode,seqlen,batch,option,dtype,layers_timed,e2e_ms,fw_ms,bw_ms\n"
    folder(tmp_path / "data", networks + "1,Tesla_T4,bert_large,inf,,8,,fp32,24,694.4,1,1\n", "neusight_e2e.csv")
    assert network_neusight.read(data) == []
    assert (
        "1 row is skipped because of an empty field; the first is line 2, where `seqlen` is" in capsys.readouterr().err
    )


def test_unreadable_files_are_rejected_before_any_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = folder(tmp_path / "data", HEAD + ROWS)
    networks = "id,gpu,model,mode,seqlen,batch,option,e2e_ms\n1,Tesla_T4,bert_large,inf,512,many,,694.4\n"
    folder(data, networks, "neusight_e2e.csv")
    assert run("--fit", data, "--on", data, "--write", tmp_path / "made") == 1
    assert "neusight_e2e.csv:2: error: this row can't be read" in capsys.readouterr().err
    assert not (tmp_path / "made").exists()


def test_shipped_calibrations_are_evaluated_on_unused_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fitted_rows = read_fitted()
    fitted = sorted(fitted_rows.rows["neusight_vec"])[:4]
    unfitted = [number for number in range(fitted[-1] + 9) if number not in fitted_rows.rows["neusight_vec"]][:3]
    rows = "".join(f"neusight_vec-{n},T4,ln,fp32,{4096 + n},4096,{700 + n / 4}\n" for n in fitted + unfitted)
    data = folder(tmp_path / "data", HEAD + rows)
    assert run("--shipped", "--on", data) == 0
    out, err = capsys.readouterr()
    head, line = out.splitlines()[-2:]
    counts = dict(zip(head.split(), line.replace("held out", "").split(), strict=False))
    assert (counts["fitted"], counts["held"]) == ("4", "3")
    assert "kernels: 3 rows evaluated that no fit used, 4 rows skipped that a fit used" in err


def test_all_groups_with_a_recorded_submission_have_fitted_rows() -> None:
    fitted_rows = read_fitted()
    named = {key[0] for key in (*fitted_rows.submissions, *fitted_rows.baselines, *fitted_rows.meters)}
    assert named
    assert all(fitted_rows.rows[name] for name in named)


def test_the_meter_of_each_metered_group_is_recorded() -> None:
    """A meter's key has no library, unlike that of a group."""
    meters = read_fitted().meters
    assert {meter_key(group) for group in metered_groups(SAMPLES)} == set(meters)
    numbers = {f"meter_{name}": value for name, value in asdict(Meter(0.25, 1e-3, 0, 180)).items()}
    made = replace(score("gemm energy", 5), constants=numbers, library="vllm")
    assert meters_of([made, score("gemm", 5)]) == {("made", "t4", "f32", "gemm"): Meter(0.25, 1e-3, 0, 180)}


def test_a_record_of_fitted_rows_is_read_back(tmp_path: Path) -> None:
    ways = {("made", "t4", "f32", "ln", "pytorch"): Submission(25e3, 1.5)}
    meters = {("made", "t4", "f32", "gemm"): Meter(0.25, 1e-3, 0, 180)}
    baselines = {("made", "t4", "f32", "layer norm", "pytorch"): (30e3, 0.4)}
    before = Fitted({"made": frozenset({0, 7, 255, 256, 4000}), "other": frozenset()}, ways, meters, baselines)
    (tmp_path / "list").write_text(fitted_text(before))
    assert read_fitted(tmp_path / "list") == before
    (tmp_path / "list").write_text("rows made\n  0 xyz\n")
    with pytest.raises(InputError, match=r"met line `0 xyz`"):
        read_fitted(tmp_path / "list")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "1,T4,addu,fp32,4,many,9\n", "neusight_vec.csv:2: error: met "),
        (HEAD + "1,T4,addu,fp32,4,4,-9\n", "neusight_vec.csv:2: error: met "),
        (HEAD.replace(",cols", "") + "1,T4,addu,fp32,4,9\n", "neusight_vec.csv:2: error: column `cols` is missing"),
        (HEAD + "1,T4,cosine,fp32,4,4,9\n", "`cosine` is no op or layer of this data set"),
        (HEAD, "this directory has no measurements of a GPU with a sheet"),
        ("\x00\n", "data"),
    ],
)
def test_errors_of_files_state_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    data = folder(tmp_path / "data", text)
    assert run("--fit", data, "--on", data) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fit", "nowhere", "--on", "nowhere"], "nowhere: error: this directory does not exist"),
        (["--on", SAMPLES], "`--fit DIR` is needed"),
        (["--fit", SAMPLES], "two directories are needed"),
        (["--shipped"], "give only `--on DIR`"),
        (["--shipped", "--fit", SAMPLES, "--on", SAMPLES], "`--shipped` fits nothing"),
        (["--fit", SAMPLES, "--on", SAMPLES, "--only", "never"], "(none begins with `never`)"),
        (["--fit", SAMPLES, "--on", SAMPLES, "--class", "never"], "no class of kernels begins with `never`"),
        (["--fit", SAMPLES, "--on", SAMPLES, "--only", "llmc", "--transfer", "h900"], "no measurements of `h900`"),
        (["--fit", SAMPLES, "--on", SAMPLES, "--jobs", "0"], "`--jobs 0`: expected a number of processes"),
        (["--split", SAMPLES], "needs `--into DIR`"),
        (["--split", SAMPLES, "--into", "x", "--share", "2"], "`--share 2`: expected a number between 0 and 1"),
        (["--split", "nowhere", "--into", "x"], "nowhere: error: this folder has no file to split"),
    ],
)
def test_wrong_options_are_errors(arguments: list[object], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 1
    assert message in capsys.readouterr().err


def test_a_split_keeps_all_rows_of_a_shape_together(tmp_path: Path) -> None:
    assert run("--split", SAMPLES, "--into", tmp_path) == 0
    shapes: dict[str, set[tuple[str, ...]]] = {}
    rows = 0
    for part in ("fit", "on"):
        with (tmp_path / part / "neusight_mm.csv").open() as file:
            found = list(csv.DictReader(file))
        rows += len(found)
        shapes[part] = {tuple(row[name] for name in ("op", "b", "m", "n", "k")) for row in found}
    assert rows == len((SAMPLES / "neusight_mm.csv").read_text().splitlines()) - 1
    assert not shapes["fit"] & shapes["on"]


@pytest.mark.slow
def test_each_row_is_predicted_by_a_fit_to_other_shapes(tmp_path: Path) -> None:
    data = folder(tmp_path / "data", HEAD + ROWS)
    groups = read_groups(data)
    tasks = fold_tasks(groups, [data], 3)
    for group in groups:
        own = [task for task in tasks if task.train[0].key == group.key]
        judged = np.concatenate([each.ids for task in own for each in task.evaluated if each.ids is not None])
        assert group.ids is not None
        assert sorted(judged) == sorted(group.ids)
        for task in own:
            assert not {*task.train[0].columns["read"]} & {*task.evaluated[0].columns["read"]}
    scores = fold_scores(tasks[:3], 1, lambda task: None)
    assert [score.model.count for score in scores] == [10]


def test_folds_need_ids(tmp_path: Path) -> None:
    data = folder(tmp_path / "data", HEAD.removeprefix("id,") + "T4,ln,fp32,16,4096,30\nT4,ln,fp32,32,4096,31\n")
    with pytest.raises(InputError, match="have no `id` that ends with a number, so they can't be divided"):
        fold_tasks(read_groups(data), [data], 2)


def test_folds_are_of_rows_in_all_folders(tmp_path: Path) -> None:
    lines = ROWS.splitlines(keepends=True)
    halves = [folder(tmp_path / name, HEAD + "".join(lines[part::2])) for part, name in enumerate(("even", "odd"))]
    groups = [group for each in halves for group in read_groups(each)]
    tasks = fold_tasks(groups, halves, 3)
    assert sum(len(group.ns) for task in tasks for group in task.evaluated) == len(lines)


def measured(gpu: str, library: str) -> MeasuredGroup:
    """A made group of two element-wise kernels."""
    cols = np.array([1e6, 1e7])
    columns = {"cols": cols, "rows": cols * 0 + 1, "read": 8 * cols, "written": 4 * cols, "bytes": cols * 0 + 4}
    columns |= {"flops": cols, "warm": cols * 0}
    return MeasuredGroup("made", gpu, "elementwise", "f32", "add", "profiler", columns, cols, library=library)


def test_a_chip_is_left_out_with_its_siblings() -> None:
    groups = [measured(gpu, "vllm") for gpu in ("h100_sxm", "h200_sxm", "l4")]
    tasks = transfer_tasks(groups, "h100_sxm")
    assert [[group.gpu for group in task.evaluated] for task in tasks] == [["h100_sxm", "h200_sxm"]]
    assert [[group.gpu for group in task.train] for task in tasks] == [["l4"]]
    assert [task.name for task in transfer_tasks(groups, "all")] == [
        "elementwise without GH100",
        "elementwise without l4",
    ]


def test_a_library_is_left_out_only_where_others_know_the_chip_and_the_library() -> None:
    """All releases of a library are left out together."""
    cells = [("h100_sxm", "vllm"), ("h200_sxm", "vllm_0_22"), ("h100_sxm", "trtllm"), ("l4", "vllm"), ("t4", "pytorch")]
    tasks = library_tasks([measured(*cell) for cell in cells])
    assert [task.name for task in tasks] == ["elementwise without vllm on GH100"]
    assert [group.library for group in tasks[0].evaluated] == ["vllm", "vllm_0_22"]


def test_boards_of_a_chip_share_its_constants_and_records_state_recorded_errors(tmp_path: Path) -> None:
    group = measured("h100_sxm", "vllm")
    tasks = [replace(task, effort=replace(task.effort, steps=1, starts=0)) for task in all_tasks([group], [group])]
    fits = fit_all(tasks, 1, lambda task: None)
    errors = [
        record.Row.of("folds", replace(score("add", 7, kernel_class="elementwise"), gpu="h100_sxm", library="vllm"))
    ]
    found = records_of(fits, fits, errors)
    (own,), (sibling,) = (list(found["gpu", name].values()) for name in ("h100_sxm", "h200_sxm"))
    assert own.origin == "2 kernels of vllm; 7.0 % off on 9 in folds of shapes"
    assert sibling.origin == f"as h100_sxm, with the same chip: {own.origin}"
    assert sibling.constants == own.constants
    assert ("gpu", "l4") not in found
    everywhere, here = found["library", "vllm"].values()
    assert (everywhere.capability, here.capability) in ((0, 9), (9, 0))
    path = merged(tmp_path, "library", "vllm", found["library", "vllm"])
    assert set(read_calibration(path).records) == set(found["library", "vllm"])


def test_a_record_replaces_rows_of_the_same_kind_and_class(tmp_path: Path) -> None:
    path = tmp_path / "errors.csv"
    record.write("shipped", [score("a", 5), score("b", 6, kernel_class="norm")], path)
    record.write("folds", [score("a", 8)], path)
    record.write("shipped", [score("c", 7)], path)
    found = [(row.kind, row.kernel_class, row.op, row.model) for row in record.read(path)]
    assert found == [("shipped", "gemm", "c", 7.0), ("shipped", "norm", "b", 6.0), ("folds", "gemm", "a", 8.0)]

"""Profiles: rows, files, and messages on invalid ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from interp.kinds.clock import Clock
from interp.machine.composition import Machine
from interp.machine.profile import CopyRow, Profile, ProfileRow
from interp.machine.profile_file import profile_of, profile_text, read_profile, write_profile
from interp.machine.records import Gpu
from interp.machine.sheets import load_device
from lowering.machine.digest import digest
from tests.programs import parse

HEAD = '{"format": "ndpir-profile-1"'
ROW: dict[str, object] = {"device": "gpu", "key": "k", "times_ns": [3, 1, 2]}
COPY: dict[str, object] = {"source": "gpu", "target": "pim", "bytes": 64, "times_ns": [5]}


def row(*times_ns: float, device: str = "gpu", key: str = "k") -> ProfileRow:
    return ProfileRow(device=device, key=key, times_ns=times_ns)


def with_rows(*rows: dict[str, object], copies: tuple[dict[str, object], ...] = ()) -> str:
    return json.dumps({"format": "ndpir-profile-1", "rows": rows, "copies": copies})


def test_median_and_interquartile_range() -> None:
    assert (row(5.0).median_ns, row(5.0).spread_ns) == (5.0, 0.0)
    assert (row(4.0, 1.0).median_ns, row(4.0, 1.0).spread_ns) == (2.5, 1.5)
    disturbed = row(10.0, 11.0, 12.0, 13.0, 900.0)
    assert (disturbed.median_ns, disturbed.spread_ns) == (12.0, 2.0)


def test_row_is_found_by_the_first_matching_name() -> None:
    profile = Profile((row(1.0, device="cpu_serial"), row(2.0, device="serial")))
    assert profile.row(("serial", "cpu_serial"), "k") is profile.rows[1]
    assert profile.row(("other", "cpu_serial"), "k") is profile.rows[0]
    assert profile.row(("serial",), "another") is None


def test_a_copy_is_found_by_its_bytes_and_direction() -> None:
    profile = Profile(copies=(CopyRow(source="a", target="b", bytes=8, times_ns=(1.0,)),))
    assert profile.copy(("x", "a"), ("b",), 8) is profile.copies[0]
    assert profile.copy(("a",), ("b",), 9) is None
    assert profile.copy(("b",), ("a",), 8) is None


def test_file_contains_the_whole_profile(tmp_path: Path) -> None:
    header = {"host": {"processor": "größer", "cores": 8}, "tools": ["onnxruntime 1.23"], "date": None}
    rows = (
        row(3.0, 1.5),
        ProfileRow(device="pim", key="%0", op="graph.relu", shapes="4 -> 4", times_ns=(1e-3,), kind="simulated"),
    )
    profile = Profile(rows, (CopyRow(source="a", target="b", bytes=8, times_ns=(1.0, 0.0)),), header)
    path = tmp_path / "p.json"
    write_profile(profile, path)
    found = read_profile(path)
    assert (found.rows, found.copies, found.header) == (profile.rows, profile.copies, header)
    assert found.file == str(path)
    assert profile_text(found) == path.read_text() == profile_text(profile)


def test_derived_values_may_be_missing_or_rounded() -> None:
    plain = profile_of(with_rows(ROW), "p.json").rows
    assert (
        profile_of(with_rows({**ROW, "median_ns": 2.0000001, "spread_ns": 1, "kind": "measured"}), "p.json").rows
        == plain
    )
    assert plain == (row(3.0, 1.0, 2.0),)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", ":1:1", "the profile is not valid JSON: expecting value"),
        ('{\n  "format": ]', ":2:13", "the profile is not valid JSON: expecting value"),
        ("[]", "", "the profile is [], but an object {…} is expected"),
        ("{}", "", "it states no `format`, but a profile must state"),
        (
            '{"format": "ndpir-profile-0"}',
            "",
            'its `format` is "ndpir-profile-0", but a profile must state "ndpir-profile-1"',
        ),
        (f'{HEAD}, "row": []}}', "", "the profile has no `row`; did you mean `rows`?"),
        (f'{HEAD}, "format": 1}}', "", 'the profile has "format" twice in one object'),
        (f'{HEAD}, "header": 3}}', "", "header is 3, but an object"),
        (f'{HEAD}, "rows": {{}}}}', "", "rows is {}, but a list"),
        (f'{HEAD}, "rows": [3]}}', "", "rows[0] is 3, but an object"),
        (f'{HEAD}, "header": NaN}}', "", "the profile can't contain NaN, only finite numbers"),
        (f'{HEAD}, "header": 1e999}}', "", "the profile can't contain 1e999, only finite numbers"),
        (f'{HEAD}, "header": {"9" * 5000}}}', "", "the profile can't contain 9"),
        (f'{HEAD}, "header": {"[" * 100_000}', f":1:{len(HEAD) + 100_012}", "the profile is nested too deeply"),
        (with_rows({"device": "gpu", "times_ns": [1]}), "", "rows[0] has no `key`"),
        (with_rows({**ROW, "divice": 1}), "", "rows[0] has no `divice`; did you mean `device`?"),
        (with_rows({**ROW, "device": ""}), "", 'rows[0].device is "", but a line of text is expected'),
        (with_rows({**ROW, "key": "a\nb"}), "", 'rows[0].key is "a\\nb", but a line of text is expected'),
        (with_rows({**ROW, "key": "\ud800"}), "", "but a line of text is expected"),
        (with_rows({**ROW, "op": 1}), "", "rows[0].op is 1, but a line of text"),
        (with_rows({**ROW, "kind": "guessed"}), "", 'but "measured" or "simulated" is expected'),
        (with_rows({**ROW, "times_ns": []}), "", "rows[0].times_ns is [], but at least one time is expected"),
        (with_rows({**ROW, "times_ns": 3}), "", "rows[0].times_ns is 3, but a list"),
        (with_rows({**ROW, "times_ns": [1, True]}), "", "rows[0].times_ns[1] is true, but a number of ns"),
        (with_rows({**ROW, "times_ns": [1e19]}), "", "rows[0].times_ns[0] is 1e+19, but a number of ns, thirty years"),
        (with_rows({**ROW, "a\nb": 1}), "", 'rows[0] has no "a\\nb"; it has device'),
        (with_rows({**ROW, "times_ns": [1, -1]}), "", "rows[0].times_ns[1] is -1, but a number from 0 on"),
        (with_rows({**ROW, "median_ns": 3}), "", "rows[0].median_ns is 3, but the times of the row give 2"),
        (with_rows({**ROW, "spread_ns": 0}), "", "rows[0].spread_ns is 0, but the times of the row give 1"),
        (with_rows(ROW, ROW), "", "rows[0] and rows[1] are both for k on gpu; keep one"),
        (with_rows(copies=(COPY, COPY)), "", "copies[0] and copies[1] are both for 64 bytes from gpu to pim"),
        (with_rows(copies=({**COPY, "bytes": 1.5},)), "", "copies[0].bytes is 1.5, but a whole number"),
        (with_rows(copies=({**COPY, "bytes": -1},)), "", "copies[0].bytes is -1, but a whole number"),
        (with_rows(copies=({**COPY, "key": "k"},)), "", "copies[0] has no `key`; "),
    ],
)
def test_errors_are_one_sentence(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        profile_of(text, "p.json")
    assert caught.value.place == f"p.json{place}"
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_binary_and_missing_files_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_bytes(b'{\n "\xff"}')
    with pytest.raises(InputError, match="met the byte 0xff") as caught:
        read_profile(path)
    assert caught.value.place == f"{path}:2:3"
    for wrong in (tmp_path, tmp_path / "none.json", tmp_path / "a\0b"):
        with pytest.raises(InputError, match="the profile can't be read"):
            read_profile(wrong)
    with pytest.raises(InputError, match="can't be written: it is a folder"):
        write_profile(Profile(), tmp_path)


RELU = "%0 : 25xf32; %1 = graph.relu %0 : 25xf32; yield %1"


def machine_with(path: Path, times_ns: float, device: str = "gpu") -> Machine:
    write_profile(Profile((ProfileRow(device=device, key=RELU, times_ns=(times_ns,)),)), path)
    text = f'hw.device @gpu = "toy_gpu" {{profile = "{path}"}}\nfunc.func @f() {{ func.return }}'
    return Machine.of(parse(text, str(path.with_suffix(".mlir"))))


def test_changed_profile_gives_another_machine(tmp_path: Path) -> None:
    first, same = (machine_with(tmp_path / "p.json", 5.0) for _ in range(2))
    assert first.devices["gpu"].profile is not None
    assert digest(first) == digest(same)
    other = machine_with(tmp_path / "p.json", 55.0)
    assert other.devices["gpu"].profile is not None
    assert other.devices["gpu"].profile.rows[0].median_ns == 55.0
    bare = Machine.of(parse('hw.device @gpu = "toy_gpu"\nfunc.func @f() { func.return }'))
    assert len({digest(first), digest(other), digest(bare)}) == 3
    assert digest(machine_with(tmp_path / "moved.json", 5.0)) == digest(first)


def test_clock_uses_time_of_profile_and_energy_of_sheet(tmp_path: Path) -> None:
    module = parse("""
        func.func @f(%x: tensor<25xf32>) -> tensor<25xf32> {
          %y = graph.relu %x : tensor<25xf32>
          %z = graph.reshape %y : tensor<25xf32> -> tensor<5x5xf32>
          %u = graph.neg %y : tensor<25xf32>
          func.return %u : tensor<25xf32>
        }""")
    relu, reshape, neg = list(module.walk())[2:5]
    clock = Clock(machine_with(tmp_path / "p.json", 5.0, "toy_gpu"))
    cost, sheet = clock.op_cost(relu, "gpu"), clock.sheet_cost(relu, "gpu")
    assert (cost.ns, cost.bound) == (5.0, "measured")
    assert (cost.energy_nj, cost.bytes, cost.flops) == (sheet.energy_nj, sheet.bytes, sheet.flops)
    assert sheet.bound == "launch"
    assert clock.op_cost(neg, "gpu").bound == "launch"
    assert clock.op_cost(reshape, "gpu").ns == 0


def test_board_energy_follows_the_measured_time(tmp_path: Path) -> None:
    sheet = load_device("a100")
    assert isinstance(sheet, Gpu)
    path = tmp_path / "p.json"
    write_profile(Profile((ProfileRow(device="a100", key=RELU, times_ns=(1e6,)),)), path)
    text = f"""
        hw.device @gpu = "a100" {{profile = "{path}"}}
        func.func @f(%x: tensor<25xf32>) -> tensor<25xf32> {{
          %y = graph.relu %x : tensor<25xf32>
          func.return %y : tensor<25xf32>
        }}"""
    module = parse(text, str(path.with_suffix(".mlir")))
    relu = next(op for op in module.walk() if op.name == "graph.relu")
    clock = Clock(Machine.of(module))
    cost, before = clock.op_cost(relu, "gpu"), clock.sheet_cost(relu, "gpu")
    assert cost.metered_nj is not None
    assert before.metered_nj is not None
    assert cost.metered_nj / cost.ns == pytest.approx(before.metered_nj / before.ns)


def test_profiles_are_found_next_to_the_program(tmp_path: Path) -> None:
    write_profile(Profile((row(1.0, device="mine"),)), tmp_path / "p.json")
    (tmp_path / "mine.sheet").write_text("device mine = toy_gpu\n")
    record = load_device("./mine.sheet", {"profile": "p.json", "units": 3}, f"{tmp_path}/program.mlir:1:1")
    assert isinstance(record, Gpu)
    assert record.profile is not None
    assert (record.name, record.units) == ("mine", 3)

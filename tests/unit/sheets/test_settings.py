"""Tests of the flag `--set NAME.FIELD=VALUE`, which changes a number of the machine for one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ndpir.cli.opt import main
from ndpir.compiler.settings import Setting, settings_of
from ndpir.diagnostics.usage import UsageError

MACHINE = """hw.device @gpu = "a100"
hw.device @mem = "newton" {channels = 64}
hw.device @more = "newton"
hw.link @gpu to @mem = "on_board"
"""


def opt(capsys: pytest.CaptureFixture[str], tmp_path: Path, *flags: str) -> str:
    file = tmp_path / "m.mlir"
    file.write_text(MACHINE)
    main([str(file), *flags])
    output = capsys.readouterr()
    return output.out + output.err


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("aim.tCCD=1", Setting("aim", "tCCD", 1)),
        ("@pim.channels = 8", Setting("pim", "channels", 8)),
        ("pim.energy.mac=2.5", Setting("pim", "energy.mac", 2.5)),
        ("pim.clock=1 GHz", Setting("pim", "clock", "1 GHz")),
        ("my/own.sheet:aim.tCCD=1", Setting("my/own.sheet:aim", "tCCD", 1)),
        ("own.sheet.energy.mac=1", Setting("own.sheet", "energy.mac", 1)),
    ],
)
def test_settings_are_parsed(text: str, setting: Setting):
    assert settings_of([text]) == [setting]


@pytest.mark.parametrize("text", ["", "aim", "aim.tCCD", "tCCD=1", "aim.=1", ".tCCD=1", "aim.tCCD=", "a.b.c.d=1"])
def test_invalid_settings(text: str):
    with pytest.raises(UsageError, match=r"is not NAME\.FIELD=VALUE"):
        settings_of([text])


def test_a_value_set_twice_is_an_error():
    with pytest.raises(UsageError, match=r"aim\.tCCD is set twice"):
        settings_of(["aim.tCCD=1", "aim.tCCD=2"])


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["mem.tCCD=1"], '@mem = "newton" {channels = 64, tCCD = 1}'),
        (["mem.channels=8"], '@mem = "newton" {channels = 8}'),
        (["newton.channels=8"], '@more = "newton" {channels = 8}'),
        (["newton.clock=1 GHz", "on_board.latency=2 us"], '"on_board" {latency = "2 us"}'),
        (["newtn.tCCD=1"], "--set:1:1: error: the machine has no device `newtn`; did you mean `newton`?"),
        (["mem.tCCDD=1"], "--set:1:5: error: there is no field `tCCDD` in newton; did you mean `tCCD`?"),
        (["mem.tFA=1"], "--set:1:5: error: there is no field `tFA` in newton; did you mean `tFAW`?"),
        (
            ["mem.tCCD=1", "mem.tRP=2,4"],
            "--set:2:10: error: `2,4`: met `,`, but expected the end; write one value",
        ),
        (["mem.channels=0"], "--set:1:14: error: 0 was met, but a number above 0 is expected"),
        (["mem.clock=2 ns"], "--set:1:11: error: a time was met, but a frequency"),
        (["mem.decoder=none"], "--set:1:5: error: there is no field `decoder`"),
    ],
)
def test_settings_change_the_machine(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    flags: list[str],
    expected: str,
):
    output = opt(capsys, tmp_path, *(part for flag in flags for part in ("--set", flag)))
    assert expected in output


def test_an_invalid_setting_is_an_error_of_the_command_line(capsys: pytest.CaptureFixture[str]):
    assert main(["--show-device", "aim", "--set", "aim.tCCD=2,4"]) == 2
    output = capsys.readouterr().err
    assert output.startswith("--set:1:11: error: `2,4`: met `,`, but expected the end; write one value as a sheet does")
    assert output.endswith("\naim.tCCD=2,4\n          ^\n")


def test_settings_apply_to_a_printed_sheet(capsys: pytest.CaptureFixture[str]):
    assert main(["--show-device", "newton", "--set", "newton.tCCD=5"]) == 0
    assert "channel: mac -> mac              5" in capsys.readouterr().out
    assert main(["--show-device", "newton", "--set", "newtn.tCCD=5"]) == 2
    assert "--show-device shows newton, but --set names" in capsys.readouterr().err

"""Tables of flags: names, values, repeated flags and continued help."""

from __future__ import annotations

import argparse

from ndpir.cli.flags import add_flags, flags_in

TABLE = """
file FILE  the input
-o, --out FILE  the output
--set NAME=VALUE …  change a value,
    several times
--shape AxBx… …  a shape
--format  the form
--strict  fail early
"""


def test_rows_of_a_table() -> None:
    found = {flag.names: (flag.value, flag.is_repeated, flag.help) for flag in flags_in(TABLE)}
    assert found == {
        ("file",): ("FILE", False, "the input"),
        ("-o", "--out"): ("FILE", False, "the output"),
        ("--set",): ("NAME=VALUE", True, "change a value, several times"),
        ("--shape",): ("AxBx…", True, "a shape"),
        ("--format",): ("", False, "the form"),
        ("--strict",): ("", False, "fail early"),
    }


def test_flags_of_a_table_are_parsed() -> None:
    parser = argparse.ArgumentParser()
    add_flags(parser, TABLE, format={"choices": ("table", "json"), "default": "table"})
    args = parser.parse_args(["x", "--set", "a=1", "--set", "b=2", "--strict"])
    assert vars(args) == {
        "file": "x",
        "out": None,
        "set": ["a=1", "b=2"],
        "shape": [],
        "format": "table",
        "strict": True,
    }

"""Ops by part of their name or by the names that they have elsewhere, and what `--list-ops` tells of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from dialects.op_names import meant, names_elsewhere
from dialects.suggestions import hint, nearest, plain
from ndpir.cli.op_listing import op_listing
from ndpir.frontends.onnx.operators import OPERATORS
from ndpir.registry.names import Registry
from ndpir.registry.reference import DIALECTS, constraints_of, examples

OPS = {op.name: op for dialect, _ in DIALECTS for op in dialect.operations}


@pytest.mark.parametrize(
    ("word", "known", "found"),
    [
        ("ReLU", ["relu", "gelu"], "relu"),
        ("to_pim", ["to-pim", "inline"], "to-pim"),
        ("canonicalise", ["canonicalize"], "canonicalize"),
        ("group", ["fuse", "split"], "fuse"),
        ("newton", ["a100-newton", "a100-aim"], "a100-newton"),
        ("a1", ["a100-newton", "a100-aim"], None),
        ("", ["x"], None),
        ("zzz", ["relu"], None),
    ],
)
def test_what_is_meant(word: str, known: list[str], found: str | None) -> None:
    assert nearest(word, known, {"group": "fuse"}) == found


def test_a_hint_is_part_of_a_sentence() -> None:
    assert hint("relv", ["relu"]) == "; did you mean `relu`?"
    assert hint("zzz", ["relu"], "it takes relu") == "; it takes relu"
    assert hint("zzz", ["relu"]) == ""


def test_names_elsewhere_are_of_ops_that_are_there_and_mean_one_op_of_a_dialect() -> None:
    for op in OPS:
        for name in names_elsewhere(op):
            assert name == plain(name), name
            (found,) = meant(f"{op.partition('.')[0]}.{name}", OPS)
            assert found.partition(" ")[0] == op, f"{name} is {found}, not {op}"


def test_what_onnx_calls_an_op_that_is_read_means_something() -> None:
    assert [name for name in OPERATORS if not meant(name, OPS)] == NO_OP


NO_OP = ["Identity", "Shape", "Dropout"]
"""Operators of ONNX that leave no op behind."""


@pytest.mark.parametrize("name", OPS)
def test_an_entry_says_all_of_an_op(name: str) -> None:
    told = op_listing(name, Registry())
    assert told.startswith(f"{name}\n")
    squeezed = " ".join(told.split())
    assert all(" ".join(constraint.split()) in squeezed for constraint in constraints_of(OPS[name]))
    assert all(" ".join(example.split()) in squeezed for example in examples(OPS[name]))
    assert max(map(len, told.splitlines())) <= 150


@pytest.mark.parametrize(("name", "first"), [("gem", "graph.matmul"), ("wei", "graph.weight"), ("pim.rel", "pim.relu")])
def test_a_part_of_a_name_is_enough(name: str, first: str) -> None:
    assert op_listing(name, Registry()).startswith(f"{first}\n")


def listed(name: str) -> list[str]:
    return [line.split()[0] for line in op_listing(name, Registry()).splitlines() if line]


def test_several_are_listed() -> None:
    assert listed("softm") == ["graph.softmax", "pim.softmax"]
    assert listed("hw") == ["hw.device", "hw.link"]
    assert sorted(listed("")) == sorted(OPS)


def test_a_name_that_means_nothing() -> None:
    with pytest.raises(
        InputError, match="no op is called `zzz` in ndpir or in another system; ndp-opt --list-ops shows all"
    ):
        op_listing("zzz", Registry())


def test_an_alias_is_no_second_table() -> None:
    """One place tells what a wrong name may mean."""
    root = Path(__file__).parents[3]
    files = [path for room in ("ndpir", "lowering", "interp", "dialects") for path in (root / room).rglob("*.py")]
    owners = [path.name for path in files if "get_close_matches" in path.read_text(encoding="utf-8")]
    assert owners == ["suggestions.py"]

"""Tests of `--list-ops`: it finds ops by part of their name or by their name in other frameworks, and describes
them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from dialects.text.op_names import meant, names_elsewhere
from dialects.text.suggestions import hint, nearest, plain
from ndpir.cli.op_listing import op_listing
from ndpir.frontends.onnx.operators import OPERATORS
from ndpir.pages.dialects import DIALECTS
from ndpir.registry.entries import constraints_of, examples
from ndpir.registry.names import Registry

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
def test_the_nearest_known_word_is_suggested(word: str, known: list[str], found: str | None) -> None:
    assert nearest(word, known, {"group": "fuse"}) == found


def test_a_hint_is_part_of_a_sentence() -> None:
    assert hint("relv", ["relu"]) == "; did you mean `relu`?"
    assert hint("zzz", ["relu"], "it takes relu") == "; it takes relu"
    assert hint("zzz", ["relu"]) == ""


def test_each_foreign_name_leads_to_an_existing_op_and_to_one_op_per_dialect() -> None:
    for op in OPS:
        for name in names_elsewhere(op):
            assert name == plain(name), name
            (found,) = meant(f"{op.partition('.')[0]}.{name}", OPS)
            assert found.partition(" ")[0] == op, f"{name} is {found}, not {op}"


def test_the_onnx_name_of_each_imported_operator_leads_to_an_op() -> None:
    single = [name for name, operator in OPERATORS.items() if not _is_composed(name, operator.handler.__module__)]
    assert sorted(name for name in single if not meant(name, OPS)) == NO_OP


def _is_composed(name: str, module: str) -> bool:
    """True for an operator that becomes several ops: one of another domain, or of the room of compositions."""
    return "." in name or ".compositions." in module


NO_OP = ["Dropout", "Identity", "Shape"]
"""Operators of ONNX that the import removes."""


@pytest.mark.parametrize("name", OPS)
def test_a_listing_holds_all_constraints_and_examples_of_an_op(name: str) -> None:
    listing = op_listing(name, Registry())
    assert listing.startswith(f"{name}\n")
    squeezed = " ".join(listing.split())
    assert all(" ".join(constraint.split()) in squeezed for constraint in constraints_of(OPS[name]))
    assert all(" ".join(example.split()) in squeezed for example in examples(OPS[name]))
    assert max(map(len, listing.splitlines())) <= 150


@pytest.mark.parametrize(("name", "first"), [("wei", "graph.weight"), ("pim.rel", "pim.relu")])
def test_an_op_is_found_by_part_of_its_name(name: str, first: str) -> None:
    assert op_listing(name, Registry()).startswith(f"{first}\n")


def listed(name: str) -> list[str]:
    return [line.split()[0] for line in op_listing(name, Registry()).splitlines() if line]


def test_all_ops_that_match_are_listed() -> None:
    assert listed("softm") == ["graph.softmax", "pim.softmax"]
    assert listed("gem") == ["graph.matmul", "graph.grouped_matmul"]
    assert listed("hw") == ["hw.device", "hw.link"]
    assert sorted(listed("")) == sorted(OPS)


def test_a_name_without_match_is_an_error() -> None:
    with pytest.raises(
        InputError, match="no op is called `zzz` in ndpir or in another system; ndp-opt --list-ops shows all"
    ):
        op_listing("zzz", Registry())


def test_suggestions_for_wrong_names_come_from_one_module() -> None:
    """Only suggestions.py searches for names that are close to a wrong one."""
    root = Path(__file__).parents[3]
    files = [path for room in ("ndpir", "lowering", "interp", "dialects") for path in (root / room).rglob("*.py")]
    owners = [path.name for path in files if "get_close_matches" in path.read_text(encoding="utf-8")]
    assert owners == ["suggestions.py"]

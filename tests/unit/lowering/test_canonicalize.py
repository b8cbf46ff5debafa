"""Tests of the rewriting driver's limits, and of canonicalization of real models."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import notes_to
from dialects.graph import AbsOp, MulOp, NegOp, SinOp
from dialects.graph.rules import Replacement, RuleBuilder, Table, patterns
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.rewriting import apply_patterns
from ndpir.frontends.onnx import import_onnx
from tests.programs import parse

MODELS = Path(__file__).parents[3] / "examples" / "models"


def chain(length: int) -> ModuleOp:
    """A function of `length` negations in a row."""
    steps = [f"  %{i + 1} = graph.neg %{i} : tensor<4xf32>" for i in range(length)]
    return parse(
        "\n".join(
            [
                "func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {",
                *steps,
                f"  func.return %{length} : tensor<4xf32>",
                "}",
            ]
        )
    )


def canonical(name: str) -> ModuleOp:
    module = import_onnx(str(MODELS / f"{name}.onnx"), {"b": 1} if "dynbatch" in name else {})
    CanonicalizePass().apply(Context(), module)
    module.verify()
    return module


def test_rules_that_undo_each_other_stop_with_a_note_and_a_valid_program() -> None:
    def to_sine(op: NegOp, new: RuleBuilder) -> Replacement:
        return new(SinOp(op.x))

    def to_negation(op: SinOp, new: RuleBuilder) -> Replacement:
        return new(NegOp(op.x))

    rules: Table = ((NegOp, to_sine), (SinOp, to_negation))
    module, notes = chain(1), list[str]()
    with notes_to(lambda message, place: notes.append(f"{place}: {message}")):
        apply_patterns(module, patterns(rules))
    module.verify()
    assert len(notes) == 1
    assert notes[0].startswith("test.mlir:2:")
    assert "stopped after" in notes[0]


def test_a_rule_for_several_classes_is_applied_to_each() -> None:
    seen: Counter[str] = Counter()

    def count(op: NegOp | AbsOp, new: RuleBuilder) -> Replacement:
        seen[op.name] += 1
        return None

    apply_patterns(chain(3), patterns((((NegOp, AbsOp), count),)))
    assert seen == {"graph.neg": 3}


@pytest.mark.parametrize("length", [101, 801])
def test_the_driver_visits_each_op_at_most_three_times(length: int) -> None:
    visits = 0

    def drop_pairs(op: NegOp, new: RuleBuilder) -> Replacement:
        nonlocal visits
        visits += 1
        inner = op.x.owner
        return inner.x if isinstance(inner, NegOp) else None

    module = chain(length)
    apply_patterns(module, patterns(((NegOp, drop_pairs),)), remove_dead=True)
    assert visits <= 3 * length
    assert sum(isinstance(op, NegOp) for op in module.walk()) == 1


def test_results_keep_their_names_and_locations() -> None:
    module = parse(
        """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = graph.constant 2.0 : tensor<f32>
  %power = graph.pow %x, %two : tensor<4xf32>, tensor<f32>
  func.return %power : tensor<4xf32>
}"""
    )
    CanonicalizePass().apply(Context(), module)
    [square] = [op for op in module.walk() if isinstance(op, MulOp)]
    assert square.y.name_hint == "power"
    assert str(square.location) == 'loc("test.mlir":3:12)'


@pytest.mark.slow
@pytest.mark.parametrize(("name", "convs"), [("resnet50_bn", 53), ("efficientnet_b0_bn", 81)])
def test_batch_norms_of_real_networks_are_folded_into_weights(name: str, convs: int) -> None:
    counts = Counter(op.name for op in canonical(name).walk())
    assert counts["graph.conv"] == convs
    assert counts["graph.batch_norm"] == 0


@pytest.mark.slow
def test_keys_shared_by_attention_heads_are_not_broadcast() -> None:
    counts = Counter(op.name for op in canonical("llama3_8b_decode_kv511_f16").walk())
    assert counts["graph.broadcast"] == 0


def test_canonicalizing_twice_changes_nothing_in_a_real_network() -> None:
    module = canonical("bert_base_sdpa")
    first_result = str(module)
    CanonicalizePass().apply(Context(), module)
    assert str(module) == first_result

"""Answers as JSON: schemas and page are current, documents are valid by their schemas, and the text depends only on the
document."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, cast

import jsonschema
import msgspec
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

import ndpir
from dialects.diagnostics import InputError
from ndpir.compiler.steps import target_of
from ndpir.pages.generated import outdated
from ndpir.pages.schemas import answers, schemas
from ndpir.registry.names import Registry
from ndpir.reports.document import VERSION, Document, json_text
from ndpir.reports.everything import SECTIONS
from ndpir.reports.target import AnswerTarget
from tests.programs import context

ROOT = Path(__file__).resolve().parents[3]
LIT = ROOT / "tests/lit"
MLP = "examples/mlp.mlir", "offload", None
UNPLACED = "tests/lit/ndpir/reports/profile_plan.mlir", "", None
NEAR_DATA = "tests/lit/lowering/place/near_data.mlir", "place{policy=overlap}", "toy-ndp"
MEMORY = "tests/lit/ndpir/reports/explain_memory.mlir", "", None
CASES: list[tuple[tuple[str, str, str | None], str]] = [
    (MLP, "timeline"),
    (MLP, "timeline{by=kind sort=time}"),
    (MLP, "summary"),
    (MLP, "banks"),
    (MLP, "explain"),
    (MLP, "explain{task=silu}"),
    (MLP, "values"),
    (MLP, "values{full}"),
    (MLP, "dot"),
    (MLP, "svg{fold=false}"),
    (MEMORY, "timeline"),
    (MEMORY, "summary"),
    (MEMORY, "explain{task=add}"),
    (UNPLACED, "placement-graph"),
    (UNPLACED, "placement-graph{policy=greedy}"),
    (UNPLACED, "profile-plan"),
    (UNPLACED, "timeline"),
    (UNPLACED, "summary"),
    (NEAR_DATA, "decisions"),
    (NEAR_DATA, "summary"),
    (("tests/lit/interp/near_data/programs.mlir", "", None), "ndp"),
    (("tests/lit/interp/sheets/timing_variants.mlir", "", None), "timing-variants"),
]


@cache
def program(path: str, passes: str, machine: str | None) -> ModuleOp:
    module = ndpir.read(ROOT / path)
    return ndpir.compile(module, passes, machine=machine) if passes else module


@cache
def schema(name: str) -> dict[str, Any]:
    return json.loads((ROOT / f"docs/schema/{name}.json").read_text())


def target(text: str) -> Target:
    return target_of(text, Registry())


def written(given: Target, module: ModuleOp) -> str:
    output = StringIO()
    given.emit(context(), module, output)
    return output.getvalue()


def no_constant(text: str) -> object:
    raise AssertionError(f"{text} is no JSON")


def validate(text: str, name: str) -> Any:
    """The document as data, after checks that it is valid by its schema and has no `Infinity` or `NaN`."""
    document = json.loads(text, parse_constant=no_constant)
    jsonschema.Draft202012Validator(schema(name)).validate(document)  # pyright: ignore[reportUnknownMemberType]
    return document


@pytest.mark.parametrize(("source", "text"), CASES)
def test_text_is_a_function_of_the_document(source: tuple[str, str, str | None], text: str) -> None:
    module = program(*source)
    plain = target(text)
    as_json = target(text[:-1] + " json}" if "{" in text else text + "{json}")
    document = written(as_json, module)
    validate(document, plain.name)
    form: Any = Document[answers()[plain.name]]
    read = msgspec.json.decode(document, type=form)
    assert read.schema == VERSION
    assert read.target == plain.name
    assert cast("AnswerTarget[Any]", plain).text(read.answer) == written(plain, module)
    assert json.loads(json_text(read)) == json.loads(document)


@pytest.mark.parametrize("source", [MLP, UNPLACED, NEAR_DATA, MEMORY])
def test_the_document_of_all_answers(source: tuple[str, str, str | None]) -> None:
    module = program(*source)
    answer = validate(written(target("json"), module), "json")["answer"]
    assert {name for name in SECTIONS if answer[name] is None} == answer["absent"].keys()
    for name in ("timeline", "summary", "banks", "decisions"):
        if answer[name] is not None:
            assert answer[name] == validate(ndpir.write(module, name + "{json}"), name)["answer"]
    assert answer["plan"] == answer["summary"]["plan"]
    assert answer["timeline"]["totals"] == answer["summary"]["totals"]
    tasks = answer["placement"]["tasks"]
    assert sum(task["times"] for task in tasks) == answer["summary"]["tasks"]


def test_a_program_without_work_has_answers() -> None:
    module = ndpir.parse("""
    hw.device @gpu = "toy_gpu"
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      func.return %x : tensor<4xf32>
    }
    """)
    answer = validate(ndpir.write(module, "json"), "json")["answer"]
    assert answer["timeline"]["rows"] == []
    assert answer["summary"]["totals"]["makespan_ns"] == 0


def test_sections_of_the_document_are_chosen() -> None:
    answer = validate(ndpir.write(program(*MLP), "json{sections=banks,plan}"), "json")["answer"]
    assert {name for name in SECTIONS if answer[name] is not None} == {"banks", "plan"}
    assert answer["absent"]["timeline"] == "not requested"
    with pytest.raises(InputError, match="json has no section `bank`; it has timeline, summary, banks"):
        ndpir.write(program(*MLP), "json{sections=bank}")


def test_rows_add_up_to_the_totals() -> None:
    for source in (MLP, MEMORY, UNPLACED, NEAR_DATA):
        answer = validate(ndpir.write(program(*source), "timeline{json}"), "timeline")["answer"]
        work = [row for row in answer["rows"] if row["kind"] in ("task", "copy")]
        for field, total in (("ns", "ns"), ("bytes", "bytes"), ("energy_nj", "energy_nj")):
            rows = sum(row[field] * row["times"] for row in work)
            assert rows == pytest.approx(sum(kind[total] for kind in answer["kinds"]), rel=1e-12)
        assert sum(kind["share"] for kind in answer["kinds"]) == pytest.approx(1)
        energy = sum(each["energy_nj"] + (each["idle_nj"] or 0.0) for each in answer["resources"])
        assert energy == pytest.approx(answer["totals"]["energy_nj"], rel=1e-12)
        assert max(row["end_ns"] for row in answer["rows"]) == answer["totals"]["makespan_ns"]


@pytest.mark.parametrize("text", ["mlir", "perfetto", "pim-trace"])
def test_targets_of_file_formats_wrap_their_file(text: str) -> None:
    source = ("tests/lit/ndpir/reports/banks.mlir", "", None) if text == "pim-trace" else MLP
    module = program(*source)
    document = validate(ndpir.write(module, text + "{json}"), "file")
    assert document == {"schema": VERSION, "target": text, "text": ndpir.write(module, text)}


def test_bytes_are_in_base64() -> None:
    from base64 import b64decode

    module = ndpir.read(ROOT / UNPLACED[0])
    document = validate(ndpir.write(module, "onnx{json}"), "file")
    assert b64decode(document["base64"]) == ndpir.write(module, "onnx").encode("latin-1")


def test_results_that_are_not_finite_are_text() -> None:
    module = ndpir.parse("""
    func.func @main() -> tensor<4xf32> {
      %x = graph.constant [1.0, inf, -inf, nan] : tensor<4xf32>
      func.return %x : tensor<4xf32>
    }
    """)
    answer = validate(ndpir.write(module, "values{json}"), "values")["answer"]
    assert answer["results"][0]["elements"] == [1.0, "inf", "-inf", "nan"]


def test_answers_are_plain_data() -> None:
    found = cast("AnswerTarget[Any]", target("summary")).answer(program(*MLP))
    document = validate(ndpir.write(program(*MLP), "summary{json}"), "summary")
    assert json.loads(json.dumps(asdict(found))) == document["answer"]


@pytest.mark.slow
def test_schemas_and_page_are_current() -> None:
    # In a new process, since plugins that other tests load would appear on the page.
    command = [sys.executable, "-m", "ndpir.pages.schemas", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_outdated_schema_is_reported() -> None:
    found = {"docs/schema/banks.json": "other words", "docs/schema/gone.json": ""}
    assert {*found, "docs/schema/summary.json"} <= {*outdated(found, "docs/schema")}


@pytest.mark.parametrize("name", schemas())
def test_schemas_are_valid(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))  # pyright: ignore[reportUnknownMemberType]


def test_a_changed_document_does_not_agree_with_its_schema() -> None:
    document = json.loads(ndpir.write(program(*UNPLACED), "summary{json}"))
    changes: list[dict[str, Any]] = [
        {"schema": "ndpir-answers/0"},
        {"answer": {}},
        {"answer": {**document["answer"], "tasks": "2"}},
    ]
    for change in changes:
        with pytest.raises(jsonschema.ValidationError):
            validate(json.dumps({**document, **change}), "summary")

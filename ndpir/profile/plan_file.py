"""Reader of plans of profiling runs that `ndp-opt -t profile-plan{json}` wrote. It checks that a plan is for the given
program."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, cast

from dialects.diagnostics import FileName, InputError
from dialects.files import open_regular
from dialects.strict_json import json_value
from dialects.text.printable import clipped
from lowering.instance.choice import Choice, Node
from lowering.instance.of_program import PlacementProblem
from lowering.instance.placement_graph import title_of
from ndpir.diagnostics.printed import of_unreadable
from ndpir.reports.document import VERSION

_LARGEST = 1 << 26


@dataclass(frozen=True)
class ReadRun:
    """One run of a plan file: the choice of devices for each node, and the indices of the nodes to be timed."""

    kind: str
    placement: tuple[Choice, ...]
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class ReadPlan:
    """The runs of a plan file; `symmetric`: True if the time of a copy also holds for the opposite direction."""

    runs: tuple[ReadRun, ...]
    symmetric: bool


def read_plan(path: str, problem: PlacementProblem) -> ReadPlan:
    """The plan in a file. Raises InputError if the file is not a plan, or if the plan is for another program or
    machine."""
    return _PlanReader(path, problem).plan(_data(path))


def _data(path: str) -> object:
    try:
        with open_regular(path) as file:
            text = file.read(_LARGEST + 1).decode("utf-8-sig")
        if len(text) > _LARGEST:
            raise InputError(f"the plan is larger than {_LARGEST >> 20} MiB, the limit; {_WRITE}", FileName(path))
    except OSError as error:
        raise InputError(of_unreadable(error, path).message, FileName(path)) from None
    except UnicodeDecodeError:
        raise InputError(f"the plan is not UTF-8 text; {_WRITE}", FileName(path)) from None
    return json_value(text, path, "the plan", _WRITE)


_WRITE = "write the plan with ndp-opt -t profile-plan{json}"


class _PlanReader:
    def __init__(self, path: str, problem: PlacementProblem) -> None:
        self.path = path
        self.problem = problem

    def wrong(self, message: str) -> NoReturn:
        raise InputError(message, FileName(self.path))

    def plan(self, data: object) -> ReadPlan:
        document = self.object(data, "the plan")
        for key, expected in (("schema", VERSION), ("target", "profile-plan")):
            if document.get(key) != expected:
                self.wrong(f"the plan's `{key}` is not {expected}; {_WRITE}")
        fields = self.object(document.get("answer"), "answer")
        self.same_program(self.list(fields.get("nodes"), "nodes"))
        symmetric = fields.get("symmetric")
        if not isinstance(symmetric, bool):
            self.wrong(
                f"`symmetric` is {_quoted(symmetric)}, but must be true (a copy takes as long in both directions) or "
                f"false; {_WRITE}"
            )
        runs = self.list(fields.get("runs"), "runs")
        return ReadPlan(tuple(self.run(run, index) for index, run in enumerate(runs)), symmetric)

    def same_program(self, nodes: Sequence[object]) -> None:
        """Check that the plan's ops and their choices of devices are those of the program. Raises InputError if not."""
        ours = self.problem.nodes
        if len(nodes) != len(ours):
            self.wrong(f"the plan has {len(nodes)} ops, but the program has {len(ours)}; {self.remedy()}")
        for node, data in zip(ours, nodes, strict=True):
            entry = self.object(data, f"nodes[{node.index}]")
            op, choices = entry.get("op"), self.list(entry.get("choices"), f"nodes[{node.index}].choices")
            title, labels = title_of(node)[0], _labels(node)
            if (op, choices) != (title, labels):
                met = f"{_shown(op)} ({', '.join(map(_shown, choices[:9]))})"
                expected = f"{title} ({', '.join(labels)})"
                self.wrong(f"op {node.index} is {met} in the plan, but {expected} in the program; {self.remedy()}")

    def remedy(self) -> str:
        return "write the plan for the same program, machine and passes"

    def run(self, data: object, index: int) -> ReadRun:
        where, problem = f"runs[{index}]", self.problem
        run = self.object(data, where)
        labels = self.list(run.get("placement"), f"{where}.placement")
        if len(labels) != len(problem.nodes):
            self.wrong(
                f"{where}.placement has {len(labels)} choices, but the program has {len(problem.nodes)} ops; "
                f"{self.remedy()}"
            )
        placement = tuple(
            self.choice(node, label, f"{where}.placement[{node.index}]")
            for node, label in zip(problem.nodes, labels, strict=True)
        )
        wanted = self.list(run.get("nodes"), f"{where}.nodes")
        nodes = tuple(self.index(each, f"{where}.nodes[{at}]") for at, each in enumerate(wanted))
        kind = run.get("kind")
        if kind not in ("nodes", "copies", "both"):
            self.wrong(f'{where}.kind is {_quoted(kind)}, but must be "nodes", "copies" or "both"; {_WRITE}')
        return ReadRun(str(kind), placement, nodes)

    def choice(self, node: Node, label: object, where: str) -> Choice:
        found = next((choice for choice in node.choices if choice.label == label), None)
        if found is None:
            self.wrong(
                f"{where} is {_quoted(label)}, but {title_of(node)[0]} can run only on {', '.join(_labels(node))}; "
                f"{self.remedy()}"
            )
        return found

    def index(self, data: object, where: str) -> int:
        index = self.object(data, where).get("index")
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(self.problem.nodes):
            self.wrong(
                f"{where}.index is {_quoted(index)}, but the ops of the program are numbered from 0 to "
                f"{len(self.problem.nodes) - 1}; {self.remedy()}"
            )
        return index

    def object(self, data: object, where: str) -> dict[str, object]:
        if not isinstance(data, dict):
            self.wrong(f"{where} is {_quoted(data)}, but must be an object {{…}}; {_WRITE}")
        return cast("dict[str, object]", data)

    def list(self, data: object, where: str) -> Sequence[object]:
        if not isinstance(data, list):
            self.wrong(f"`{where}` is {_quoted(data)}, but must be a list […]; {_WRITE}")
        return cast("Sequence[object]", data)


def _shown(value: object) -> str:
    """A name from the file, for an error message: unquoted if it is printable and at most 60 characters long."""
    return value if isinstance(value, str) and value.isprintable() and len(value) <= 60 else _quoted(value)


def _quoted(value: object) -> str:
    """A value from the file, for an error message: at most 40 characters; of a list or an object, only the type."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return clipped(json.dumps(value))


def _labels(node: Node) -> list[str]:
    return [choice.label for choice in node.choices]

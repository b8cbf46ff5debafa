"""Results of the StableHLO project's tests: passed, rejected with a message, or wrong.

    git clone https://github.com/openxla/stablehlo
    python -m benchmarks.stablehlo.suite stablehlo [WORD…]      (files whose paths contain one of the words)

The tests are those in `stablehlo/testdata` (functions of JAX with their results) and `stablehlo/tests/interpret` (each
op with its results by the specification). A test is a function that calls checks (`check.expect_eq`, …). The checks are
removed from it; their operands become results of the function, and this benchmark compares them. No file of that
project (Apache-2.0) is copied here.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

import ndpir
from dialects.diagnostics import InputError
from ndpir.frontends.stablehlo.importer import import_functions
from ndpir.frontends.stablehlo.module import HloBlock, HloFunction, HloOp, HloValue
from ndpir.frontends.stablehlo.pretty import PRETTY
from ndpir.frontends.stablehlo.text import read_functions

FOLDERS = ("stablehlo/testdata", "stablehlo/tests/interpret")
ULPS = 3
"""The default tolerance of `expect_close`, in units in the last place."""
ALMOST = 1e-4
"""The default tolerance of `expect_almost_eq`, as a difference of elements."""
ROUNDING = {"float16": 2e-3, "bfloat16": 1.5e-2, "float32": 5e-6, "float64": 1e-12}
"""The tolerance relative to the largest entry, by element type; it is needed because sums in another order may differ
by more than ULPS."""
Array = NDArray[Any]


@dataclass
class Check:
    """A comparison of two values in a test."""

    kind: str
    ours: HloValue
    expected: HloValue
    options: Mapping[str, Any]


def tests_in(path: Path) -> Iterator[tuple[str, list[HloFunction], str]]:
    """Yield the name, the functions and the location of each test in a file. Raises InputError if the file can't be
    parsed."""
    for number, part in enumerate(re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE)):
        if "check." not in part:
            continue
        try:
            functions = read_functions(part, path.name)
        except InputError as error:
            yield f"{path.name}#{number}", [], str(error)
            continue
        known = {function.name: function for function in functions}
        for function in functions:
            if any(_is_check(op) for op in function.body.ops):
                yield f"{path.name}#{number}@{function.name}", reached(function, known), ""


def reached(function: HloFunction, known: Mapping[str, HloFunction]) -> list[HloFunction]:
    """Return a function and all functions that it calls, directly or indirectly; called functions come before their
    callers."""
    found: dict[str, HloFunction] = {}

    def visit(block: HloBlock) -> None:
        for op in block.ops:
            callee = known.get(str(op.attributes.get("callee", op.attributes.get("decomposition", ""))).lstrip("@"))
            if callee is not None and callee.name not in found:
                visit(callee.body)
                found[callee.name] = callee
            for region in op.regions:
                visit(region)

    visit(function.body)
    return [*found.values(), function]


def _is_check(op: HloOp) -> bool:
    return op.name.startswith("check.") or str(op.attributes.get("call_target_name", "")).startswith("check.")


def stripped(function: HloFunction) -> list[Check]:
    """Remove the checks from a function and return them; the function returns their operands instead."""
    ops: list[HloOp] = []
    checks: list[Check] = []
    for op in function.body.ops[:-1]:
        if not _is_check(op):
            ops.append(op)
            continue
        kind = str(op.attributes.get("call_target_name", op.name)).removeprefix("check.expect_")
        expected = op.operands[1] if len(op.operands) > 1 else HloValue("%expected", op.operands[0].type)
        if "value" in op.attributes:
            value = op.attributes["value"]
            ops.append(HloOp("constant", [], [expected], {"value": value}, [], op.place))
        checks.append(Check(kind.removesuffix("_const"), op.operands[0], expected, op.attributes))
    values = [value for check in checks for value in (check.ours, check.expected)]
    function.body.ops[:] = [*ops, HloOp("return", values, [], {}, [], function.place)]
    return checks


def _literal(written: Any) -> None:
    """Convert the literal of a check, such as `check.expect_eq_const %0, dense<1> : tensor<i64>`, to an array."""
    if written.dense is not None:
        written.attributes["value"] = replace(written.dense, type=written.types[1][0])


PRETTY.update({"check.expect_eq_const": _literal, "check.expect_almost_eq_const": _literal})


def difference(check: Check, ours: Array, expected: Array) -> str:
    """Return a sentence if two values differ by more than their check allows, else an empty text."""
    if ours.dtype.kind in "iub" or check.kind == "eq":
        same = np.array_equal(ours, expected, equal_nan=ours.dtype.kind not in "iub")
        return "" if same else f"{_some(ours, ours != expected)}, not {_some(expected, ours != expected)}"
    a, b = ours.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        return f"{_some(ours, ~finite | ~np.isfinite(a))}, not {_some(expected, ~finite | ~np.isfinite(a))}"
    apart = np.where(finite, np.abs(np.where(finite, a, 0) - np.where(finite, b, 0)), 0)
    largest = np.abs(b[finite]).max(initial=0.0)
    if check.kind == "almost_eq":
        far = apart > float(check.options.get("tolerance", ALMOST))
    else:
        step = np.abs(np.spacing(np.where(finite, expected, expected.dtype.type(0)))).astype(np.float64)
        far = apart > int(check.options.get("max_ulp_difference", ULPS)) * step
    far &= apart > ROUNDING[str(ours.dtype)] * largest
    return f"{_some(ours, far)}, not {_some(expected, far)}" if far.any() else ""


def _some(array: Array, where: Array) -> str:
    return str(array[where].ravel()[:3].tolist())


def outcome(functions: Sequence[HloFunction], place: str) -> tuple[str, str]:
    """Run a test; return `passed`, `refused` or `wrong`, and the reason."""
    if not functions:
        return "refused", place
    test = functions[-1]
    for other in functions[:-1]:
        other.name = f"{other.name}_called" if other.name == "main" else other.name
    checks = stripped(test)
    test.name = "main"
    try:
        results = ndpir.run(import_functions(functions, test.place.partition(":")[0]), [])
    except InputError as error:
        return "refused", str(error)
    except Exception as error:  # any other exception is a defect
        return "wrong", f"{type(error).__name__}: {error}"
    for check, ours, expected in zip(checks, results[::2], results[1::2], strict=True):
        if options := difference(check, ours, expected):
            return "wrong", options
    return "passed", ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("words", nargs="*")
    given = parser.parse_args()
    paths = [path for folder in FOLDERS for path in sorted((given.checkout / folder).rglob("*.mlir"))]
    paths = [path for path in paths if not given.words or any(word in str(path) for word in given.words)]
    if not paths:
        sys.exit(
            f"{given.checkout} has no {' or '.join(FOLDERS)} with such files; give a checkout of openxla/stablehlo"
        )
    counts, reasons, empty = Counter[str](), Counter[str](), 0
    for path in track(paths, "files", disable=not sys.stderr.isatty()):
        tests = list(tests_in(path))
        empty += not tests
        for name, functions, place in tests:
            found, why = outcome(functions, place)
            counts[found] += 1
            if found == "wrong":
                print(f"wrong: {name}: {why}", flush=True)
            elif found == "refused":
                reasons[re.sub(r"\d+", "N", why)] += 1
    print(f"{len(paths)} files, {empty} of them without checks; {counts.total()} tests: ", end="")
    print(", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "refused", "wrong")))
    for reason, count in reasons.most_common():
        print(f"{count:6}  {reason}")
    sys.exit(bool(counts["wrong"]))


if __name__ == "__main__":
    main()

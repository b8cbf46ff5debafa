"""Results on all node tests of the onnx package: right, wrong, or refused with a reason.

    python -m benchmarks node_tests [--peers] [NAME …]

Inputs that decide a shape become initialisers (`SHAPE_OPERANDS` in tests/conformance/node_cases.py). `--peers` also
runs onnxruntime and onnx's reference evaluator over the same cases. A NAME selects the cases whose names contain it.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from dialects.diagnostics import InputError
from tests.conformance.node_cases import Array, Case, all_cases, as_array, check, compare, operator_of, shape_inputs


def outcome(case: Case, shape_operands: set[str]) -> tuple[str, str]:
    """`right`, `wrong`, `refused` or `failed` (an exception that is no refusal), with the reason."""
    try:
        check(case, shape_operands)
    except InputError as error:
        return "refused", error.message
    except AssertionError as error:
        return "wrong", " ".join(str(error).split())
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
    return "right", ""


def peer_is_right(run: Callable[[Case, dict[str, Array]], Sequence[object]], case: Case) -> bool:
    """True if a peer computes the expected results of all data sets."""
    try:
        for inputs, outputs in case.data_sets:
            feeds = dict(zip((value.name for value in case.model.graph.input), map(as_array, inputs), strict=True))
            for result, expected in zip(run(case, feeds), map(as_array, outputs), strict=True):
                compare(np.asarray(result), expected, case.rtol, case.atol)
    except Exception:
        return False
    return True


def onnxruntime(case: Case, feeds: dict[str, Array]) -> Sequence[object]:
    ort: Any = import_module("onnxruntime")  # onnxruntime has no type annotations
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = ort.InferenceSession(case.model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def reference(case: Case, feeds: dict[str, Array]) -> Sequence[object]:
    evaluator: Any = import_module("onnx.reference").ReferenceEvaluator(case.model)
    return evaluator.run(None, feeds)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of names of cases (default: all cases)")
    parser.add_argument("--peers", action="store_true", help="also run onnxruntime and onnx's reference evaluator")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    cases = all_cases()
    operands = shape_inputs(cases)
    chosen = [case for case in cases if not options.names or any(name in case.name for name in options.names)]
    counts = Counter[str]()
    others: dict[tuple[str, str], list[str]] = defaultdict(list)
    for case in chosen:
        kind, reason = outcome(case, operands[case.name])
        counts[kind] += 1
        if kind != "right":
            others[kind, f"{operator_of(case)}: {reason}"].append(case.name)
    for (kind, reason), names in sorted(others.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f"{kind:8} {len(names):4}  {names[0]}: {reason[:300]}")
    print(
        f"{len(chosen)} cases: "
        + ", ".join(f"{counts[kind]} {kind}" for kind in ("right", "refused", "wrong", "failed"))
    )
    if options.peers:
        for run in (onnxruntime, reference):
            print(f"{run.__name__}: {sum(peer_is_right(run, case) for case in chosen)} right")
    return 1 if counts["wrong"] or counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

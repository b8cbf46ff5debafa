"""The onnx package's own node tests: each case is imported, run and compared, or refused with a reason.

Cases whose graph is an operator's definition (`_expanded`) are left to `python -m benchmarks node_tests`, which counts
all 1,884. The reasons for refused cases are shown by `pytest -ra`.
"""

from __future__ import annotations

import pytest

from dialects.diagnostics import InputError
from tests.conformance.node_cases import Case, all_cases, check, shape_inputs

pytestmark = pytest.mark.slow

RANDOM = "draws random numbers, and each runtime has a generator of its own"
SEQUENCE = "a sequence or an optional value is no tensor"
TEXT = "works on texts or files"
DATA = "the shape of its result depends on the data"
OTHER = "an operator of classical machine learning or of training"
REFUSED = {
    "Adagrad": OTHER,
    "Adam": OTHER,
    "ArrayFeatureExtractor": OTHER,
    "Bernoulli": RANDOM,
    "Binarizer": OTHER,
    "Det": "a factorization of a matrix",
    "ImageDecoder": TEXT,
    "LabelEncoder": OTHER,
    "MelWeightMatrix": "a table, which exporters store",
    "Momentum": OTHER,
    "NonMaxSuppression": DATA,
    "OptionalGetElement": SEQUENCE,
    "OptionalHasElement": SEQUENCE,
    "RegexFullMatch": TEXT,
    "SequenceInsert": SEQUENCE,
    "SequenceMap": SEQUENCE,
    "SplitToSequence": SEQUENCE,
    "StringConcat": TEXT,
    "StringNormalizer": TEXT,
    "StringSplit": TEXT,
    "TfIdfVectorizer": TEXT,
    "TreeEnsemble": OTHER,
    "Unique": DATA,
}
"""Operators of which no case runs, with the reason."""
REFUSED_CASES = {
    "test_bitcast_bool_to_uint8": "truth values have no defined bits",
    "test_equal_string": TEXT,
    "test_equal_string_broadcast": TEXT,
    "test_identity_opt": SEQUENCE,
    "test_identity_sequence": SEQUENCE,
    "test_if_opt": SEQUENCE,
    "test_if_seq": SEQUENCE,
    "test_loop13_seq": SEQUENCE,
    "test_loop16_seq_none": SEQUENCE,
    "test_scan_sum": "Scan before opset 9 has a batch axis and lengths",
    "test_training_dropout": RANDOM,
    "test_training_dropout_default": RANDOM,
    "test_training_dropout_default_mask": RANDOM,
    "test_training_dropout_mask": RANDOM,
}
"""Other cases that do not run."""


def reason_of(case: Case) -> str | None:
    """The reason for which a case is refused; None for a case that runs."""
    return REFUSED_CASES.get(case.name) or next(
        (REFUSED[node.op_type] for node in case.model.graph.node if node.op_type in REFUSED), None
    )


def test_each_case_runs_with_right_numbers_or_is_refused(subtests: pytest.Subtests) -> None:
    cases = all_cases()
    operands = shape_inputs(cases)
    for case in cases:
        if "_expanded" in case.name:
            continue
        with subtests.test(case.name):
            if reason_of(case) is None:
                check(case, operands[case.name])
            else:
                with pytest.raises(InputError):
                    check(case, operands[case.name])
    assert len(cases) == 1884
    assert sum("_expanded" not in case.name and reason_of(case) is None for case in cases) >= 1290


@pytest.mark.parametrize(("name", "reason"), (REFUSED | REFUSED_CASES).items())
def test_refused(name: str, reason: str) -> None:
    pytest.skip(f"{name}: {reason}")

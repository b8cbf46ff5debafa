"""The linter of `.mlir` tests: it rejects lines that filecheck skips silently, and accepts all tests of the project."""

from pathlib import Path

import pytest

from tests.lit.linter import complaints

LIT = Path(__file__).parents[2] / "lit"
RUN = "// RUN: ndp-opt %s | filecheck %s\n"


def test_all_tests_are_clean() -> None:
    found = [
        sentence
        for path in sorted(LIT.rglob("*.mlir"))
        if not {"Inputs", "Output"} & set(path.parts)
        for sentence in complaints(path)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("// CHECK: x\n", "no RUN line"),
        (RUN, "no line bears it"),
        ("// RUN: ndp-opt %s\n// CHECK: x\n", "not looked at"),
        (RUN + "// CHECK: a\n// CHECK-NXT: b\n", "`CHECK-NXT:` is no directive"),
        (RUN + "// CHECK: a\n// CHECK NEXT: b\n", "`CHECK NEXT:` is no directive"),
        (RUN + "// CHECK: a\n// CHECK_NEXT: b\n", "`CHECK_NEXT:` is no directive"),
        (RUN + "// CHECK: a\n// CHEKC: b\n", "`CHEKC:` is no directive"),
        (RUN + "// CHECK: a\n// CHCK: b\n", "`CHCK:` is no directive"),
        (RUN + "// CHECK: a\n// check: b\n", "`check:` is no directive"),
        (RUN + "// CHECK: a\n// OTHER-NEXT: b\n", "`OTHER-NEXT:` is no directive"),
        ("// RUN: ndp-opt %s | filecheck %s --check-prefix=A\n// B-NEXT: x\n// A: y\n", "`B-NEXT:` is no directive"),
        ("// RUN: ndp-opt %s | filecheck %s --check-prefixes A,B\n// A: y\n", "prefix B, but no line"),
        (RUN + "// CHECK: a\n// see /home/me/x.mlir\n", "path of one machine"),
        (RUN + "// CHECK: check: fuse: 1 result equal within 1.7e-07\n", "depend on the processor"),
    ],
)
def test_rejected_tests(tmp_path: Path, text: str, complaint: str) -> None:
    test = tmp_path / "t.mlir"
    test.write_text(text)
    assert any(complaint in sentence for sentence in complaints(test)), list(complaints(test))


@pytest.mark.parametrize(
    "text",
    [
        RUN
        + "// CHECK: a\n// CHECK-NEXT: b\n// CHECK-COUNT-3: c\n// CHECK{LITERAL}: [[d]]\n// A note: no directive.\n",
        "// RUN: ndp-opt %s --verify-diagnostics\n// expected-error @+1 {{x}}\n",
        "// RUN: ndp-opt %s | filecheck %s --check-prefix=A\n// RUN: ndp-opt %s -p cse | \\\n"
        "// RUN:   filecheck %s --check-prefix=B\n// A: x\n// B-SAME: y\n",
    ],
)
def test_accepted_tests(tmp_path: Path, text: str) -> None:
    test = tmp_path / "t.mlir"
    test.write_text(text)
    assert not list(complaints(test))

"""Tests of text with locations (`--print-debuginfo`): at every level, parsing it and printing it again gives equal
text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError

import ndpir
from dialects.locations import text_of
from dialects.pim import KernelOp

ROOT = Path(__file__).parents[3]
LIT = sorted(path for path in (ROOT / "tests/lit").rglob("*.mlir") if not {"Output", "Inputs"} & set(path.parts))
BLOCKS = re.findall(r"^```mlir\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
README = [block for block in BLOCKS if not block.startswith("// wrong")]


def printed(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream, print_debuginfo=True).print_op(module)
    return stream.getvalue()


def programs_in(path: Path) -> Iterator[ModuleOp]:
    """The valid programs of a test file."""
    for part in path.read_text("utf-8", "replace").split("// -----\n"):
        try:
            yield ndpir.parse(part, path.name)
        except (ndpir.InputError, ParseError):
            continue


def check(module: ModuleOp) -> None:
    text = printed(module)
    assert printed(ndpir.parse(text, "again.mlir")) == text


@pytest.mark.slow
@pytest.mark.parametrize("folder", sorted({path.parent for path in LIT}), ids=lambda path: path.name)
def test_lit_programs_keep_locations(folder: Path) -> None:
    for path in LIT:
        if path.parent == folder:
            for module in programs_in(path):
                check(module)


@pytest.mark.parametrize("steps", ["canonicalize", "canonicalize,fuse,reduce-precision", "gpu-only", "offload"])
@pytest.mark.parametrize(
    "text", [*README, (ROOT / "examples/mlp.mlir").read_text()], ids=lambda text: text[:20].strip()
)
def test_readme_programs_keep_locations_at_every_level(text: str, steps: str) -> None:
    module = ndpir.parse(text, "x.mlir")
    if "task." in text or "pim." in text:
        check(module)
    else:
        check(ndpir.compile(module, steps, machine="a100-newton"))


def test_every_command_of_a_kernel_has_a_location() -> None:
    lowered = ndpir.compile(ndpir.read(ROOT / "examples/mlp.mlir"), "offload", machine="a100-newton")
    kernels = [op for op in lowered.ops if isinstance(op, KernelOp)]
    assert kernels
    for kernel in kernels:
        assert all(text_of(op.location) == text_of(kernel.location) is not None for op in kernel.walk())


def location_of(written: str) -> str:
    module = ndpir.parse(f"func.func @f() loc({written})")
    check(module)
    return next(line for line in printed(module).splitlines() if "@f" in line).partition("loc(")[2][:-1]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("unknown", "unknown"),
        ('"größe/Knoten 7"', r'"gr\C3\B6\C3\9Fe/Knoten 7"'),
        ('"größe.mlir":3:4', r'"gr\C3\B6\C3\9Fe.mlir":3:4'),
        ('"f.py":1:2 to :5', '"f.py":1:2'),
        ('"f.py":1:2 to 3:5', '"f.py":1:2'),
        ('"f.py":7', '"f.py":7:0'),
        ('"a"("f.py":1:2 to :5)', '"a"("f.py":1:2)'),
        ('fused<"why">["a", "b":1:2]', 'fused<"why">["a", "b":1:2]'),
        ('callsite("a" at "b":1:2)', 'callsite("a" at "b":1:2)'),
    ],
)
def test_mlir_locations_are_read(written: str, read: str) -> None:
    assert location_of(written) == read


def test_non_ascii_text_is_read_back() -> None:
    module = ndpir.parse("""\
func.func @"größe"() attributes {a = "größe", "b ü" = 1 : i32, c = "\\FF"} {
  func.call @"größe"() : () -> ()
  func.return
}
""")
    check(module)
    assert '@"gr\\C3\\B6\\C3\\9Fe"' in printed(module)


def test_location_must_be_text() -> None:
    with pytest.raises(ndpir.InputError, match="a location must be UTF-8 text, but its bytes are not"):
        ndpir.parse(r'func.func @f() loc("\FF\FE")')

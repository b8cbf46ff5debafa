"""Our own grammar and jaxlib's MLIR read programs to equal records, from pretty text, generic text and bytecode."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ndpir
from ndpir.frontends import bytecode
from ndpir.frontends.stablehlo import from_jaxlib, is_stablehlo
from ndpir.frontends.stablehlo.importer import import_functions
from ndpir.frontends.stablehlo.module import HloBlock, HloFunction, HloValue
from ndpir.frontends.stablehlo.text import read_functions
from tests import stablehlo_cases, stablehlo_loops, stablehlo_ops

needs_jaxlib = pytest.mark.skipif(find_spec("jaxlib") is None, reason="jaxlib is the second reader (extra `jax`)")
HELD = {**np.load(stablehlo_cases.DATA), **np.load(stablehlo_loops.DATA), **np.load(stablehlo_ops.DATA)}
EXAMPLES = Path(__file__).parents[3] / "examples" / "models"
UNUSUAL = """
module {
  func.func public @main(%arg0: tensor<?x4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2xcomplex<f32>>)
      -> (tensor<?x4xf32> {jax.result_info = "r['y']"}, tensor<i32>) {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.rng_bit_generator"(%c) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}>
      : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %1 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{replicated}"} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %2 = stablehlo.get_dimension_size %1, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %3 = stablehlo.composite "my.op" %1 {composite_attributes = {n = 1 : i64}, decomposition = @other}
      : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [] x [] : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %5 = stablehlo.dot_general %3, %3, batching_dims = [0] x [0], contracting_dims = [] x []
      : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4x4xf32>
    return %3, %2 : tensor<?x4xf32>, tensor<i32>
  }
  func.func private @other(%arg0: tensor<?x4xf32>) -> tensor<?x4xf32> {
    return %arg0 : tensor<?x4xf32>
  }
}
""".replace("(%c)", "(%c)").replace("    %t =", "    %c = stablehlo.constant dense<[1, 2]> : tensor<2xui64>\n    %t =")


TEXTS = {
    **{key.removesuffix("/text"): str(HELD[key]) for key in HELD if key.endswith("/text")},
    **{path.name: text for path in EXAMPLES.glob("*.mlir") if is_stablehlo(text := path.read_text())},
    "unusual": UNUSUAL,
}


def contents(functions: list[HloFunction], *, with_places: bool = True) -> list[Any]:
    """The contents of all records, with values replaced by numbers in the order of their definition; `with_places`:
    with the line number of each place."""
    numbers: dict[HloValue, int] = {}

    def value(each: HloValue) -> tuple[int, str]:
        return numbers.setdefault(each, len(numbers)), str(each.type)

    def block(each: HloBlock) -> list[Any]:
        return [
            [value(argument) for argument in each.arguments],
            *(
                [
                    op.name,
                    [value(operand) for operand in op.operands],
                    op.attributes,
                    [block(region) for region in op.regions],
                    [value(result) for result in op.results],
                    op.place.rpartition(":")[0] if with_places else "",
                ]
                for op in each.ops
            ),
        ]

    return [
        [each.name, list(each.argument_attributes), list(each.result_attributes), block(each.body)]
        for each in functions
    ]


@needs_jaxlib
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_both_readers_give_the_same_records(name: str) -> None:
    theirs = from_jaxlib.functions_of_text(TEXTS[name], "x.mlir")
    assert theirs is not None
    assert contents(read_functions(TEXTS[name], "x.mlir")) == contents(theirs)
    ir, context = bytecode.mlir()
    module = ir.Module.parse(TEXTS[name], context)
    generic = module.operation.get_asm(print_generic_op_form=True)
    assert contents(read_functions(generic, "x.mlir"), with_places=False) == contents(theirs, with_places=False)
    data = io.BytesIO()
    module.operation.write_bytecode(data)
    binary = from_jaxlib.functions_of_bytecode(data.getvalue(), "x.mlirbc")
    assert contents(binary, with_places=False) == contents(theirs, with_places=False)


@pytest.mark.parametrize("numbers", ["#stablehlo.dot<>", "#stablehlo.dot<lhs_contracting_dimensions = []>"])
def test_a_product_without_summed_axes(numbers: str) -> None:
    """The generic form, as in JAX's object, may omit empty lists of axes."""
    module = ndpir.parse(
        "func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {\n"
        f'  %0 = "stablehlo.dot_general"(%a, %b) <{{dot_dimension_numbers = {numbers}}}>\n'
        "    : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>\n"
        "  return %0 : tensor<2x3xf32>\n}"
    )
    a, b = np.array([1, 2], np.float32), np.array([3, 4, 5], np.float32)
    np.testing.assert_array_equal(ndpir.run(module, [a, b])[0], np.outer(a, b))


@needs_jaxlib
def test_names_are_read_by_both() -> None:
    text = """#loc1 = loc("params['w']")
    func.func @main(%arg0: tensor<f32> loc(#loc1), %arg1: tensor<f32> loc("x")) -> tensor<f32> {
      return %arg0 : tensor<f32>
    }"""
    theirs = from_jaxlib.functions_of_text(text, "x.mlir")
    assert theirs is not None
    for functions in (theirs, read_functions(text, "x.mlir")):
        assert functions[0].argument_attributes == [{"jax.arg_info": "params['w']"}, {"jax.arg_info": "x"}]


@needs_jaxlib
def test_annotations_are_read_by_both() -> None:
    text = """
module @m attributes {mhlo.num_partitions = 1 : i32, task.note} {
  func.func public @main(%arg0: tensor<4xf32> {task.state = "overwritten, result 0", graph.fill = array<f64: 0.5, 1.0>})
      -> (tensor<4xf32> {task.state = "read"}) attributes {tile.note = [1.5, {a = "b"}]} {
    %0 = stablehlo.negate %arg0 {task.on = @pim, tile.why = "none", pim.plan = [unit, "a"]} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""
    theirs = from_jaxlib.functions_of_text(text, "x")
    assert theirs is not None
    programs = [str(import_functions(functions, "x")) for functions in (theirs, read_functions(text, "x"))]
    assert programs[0] == programs[1]
    assert "builtin.module attributes {task.note}" in programs[0]
    assert programs[0].count("task.") == 4
    for note in (
        'task.state = "overwritten, result 0"',
        "array<f64: 5.0",
        'pim.plan = [unit, "a"]',
        'tile.why = "none"',
    ):
        assert note in programs[0]


@needs_jaxlib
def test_our_grammar_reports_errors_in_text_that_jaxlib_rejects() -> None:
    wrong = "func.func @main(%a: tensor<4xf32>) {\n  %0 = stablehlo.add %a, %b : tensor<4xf32>\n}" + " " * (1 << 16)
    assert from_jaxlib.functions_of_text(wrong, "x.mlir") is None
    with pytest.raises(ndpir.InputError, match=r"x.mlir:2:26: %b is not defined above"):
        ndpir.parse(wrong, "x.mlir")


def test_bytecode_without_jaxlib_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.mlirbc"
    path.write_bytes(b"ML\xefR, and no more")
    with pytest.raises(ndpir.InputError, match=r"jaxlib"):
        ndpir.read(path)
    monkeypatch.setattr(from_jaxlib, "is_installed", lambda: False)
    with pytest.raises(ndpir.InputError, match=r"x.mlirbc: reading MLIR's bytecode needs jaxlib; install"):
        ndpir.read(path)


@pytest.mark.parametrize(
    "text",
    [
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.abs %x : tensor<4xf32> "
        "return %0 : tensor<4xf32> }",
        'func.func @main(%x: tensor<f32>) -> tensor<f32> { %0 = "chlo.erf"(%x) : (tensor<f32>) -> tensor<f32> '
        "return %0 : tensor<f32> }",
        "func.func @main() { stablehlo.custom_call @f() : () -> () return }",
        'module attributes {a = "graph.add"} { // hlo\nfunc.func @f() {%0 = stablehlo.iota dim = 0 : tensor<4xi32> }}',
    ],
)
def test_stablehlo_is_recognized_with_any_line_breaks(text: str) -> None:
    assert is_stablehlo(text)


@pytest.mark.parametrize(
    "line",
    [
        "// %0 = stablehlo.abs %x : tensor<4xf32>",
        'func.func private @f() attributes {from = "%0 = stablehlo.add %x, %x", and = "\\"chlo.erf\\"(%x)"}',
        "func.func private @f() attributes {stablehlo.version = 1, stablehlo.note}",
        "%stablehlo.y = graph.abs %x : tensor<4xf32>",
        "func.call @stablehlo.add(%x) : (tensor<4xf32>) -> ()",
        '%y = graph.weight "stablehlo.w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>',
    ],
)
def test_stablehlo_in_comments_strings_and_names_is_ignored(line: str) -> None:
    assert not is_stablehlo(f"func.func @main(%x: tensor<4xf32>) {{\n  {line}\n  func.return\n}}")


def test_text_that_is_no_mlir_is_not_recognized_as_stablehlo() -> None:
    assert not is_stablehlo("# A document\n\n    %0 = stablehlo.add %x, %x : tensor<4xf32>\n")
    assert is_stablehlo("// A comment\n#loc1 = loc(unknown)\n%0 = stablehlo.add %x, %x : tensor<4xf32>\n")


def test_other_mlir_programs_are_not_recognized_as_stablehlo() -> None:
    lit = Path(__file__).parents[2] / "lit"
    own = [path for path in lit.rglob("*.mlir") if "stablehlo" not in f"{path.parent} {path.name}"]
    assert len(own) > 100
    assert [path.name for path in own if is_stablehlo(path.read_text())] == []


@needs_jaxlib
def test_strings_that_are_no_utf_8_do_not_reach_mlir() -> None:
    """The bindings of MLIR end the process at such a string."""
    ends = "{\n  return %x : tensor<4xf32>\n}\n"
    text = f'func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {{a = "NAME"}} {ends}'
    assert from_jaxlib.functions_of_text(text.replace("NAME", r"gr\C3\B6\C3\9Fe"), "x.mlir") is not None
    assert from_jaxlib.functions_of_text(text.replace("NAME", r"\FF"), "x.mlir") is None

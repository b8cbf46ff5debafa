"""Long literals of StableHLO, such as masks and tables in a function's closure, become weights whose numbers stay in
the file."""

from __future__ import annotations

import gc
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import element_type_of
from dialects.graph.constant import LITERAL_LIMIT
from ndpir.cli.opt import main
from ndpir.frontends import bytecode
from ndpir.frontends.stablehlo import from_jaxlib
from ndpir.frontends.stablehlo.module import DenseLiteral
from ndpir.frontends.stablehlo.text import read_functions

Array = NDArray[Any]
TYPES = ["f2", "f4", "f8", "bfloat16", "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
SHAPE = (33, 40)


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def bits(seed: int, name: str, shape: tuple[int, ...] = SHAPE) -> Array:
    """Random bits as numbers of a type, including nans of either sign, infinities and subnormal numbers."""
    dtype, random = dtype_of(name), np.random.default_rng(seed)
    raw = random.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
    return (raw & 1 if name == "?" else raw).view(dtype).reshape(shape)


def type_text(array: Array) -> str:
    return f"tensor<{'x'.join(map(str, array.shape))}x{element_type_of(array.dtype)}>"


def in_bytes(array: Array) -> str:
    return f'"0x{array.tobytes().hex().upper()}"'


def in_brackets(array: Array) -> str:
    """An array as MLIR writes literals of few elements; floating-point numbers are written by their bits."""
    if array.ndim:
        return f"[{', '.join(map(in_brackets, array))}]"
    if array.dtype.kind == "b":
        return str(bool(array)).lower()
    if array.dtype.kind in "iu":
        return str(int(array))
    return f"0x{int(array.view(f'u{array.dtype.itemsize}')):0{2 * array.dtype.itemsize}X}"


def program(*literals: str, type_: str, above: str = "") -> str:
    """A function that returns its literals, all of one type."""
    names = [f"%c{n}" for n in range(len(literals))]
    types = ", ".join([type_] * len(names))
    lines = [f"  {n} = stablehlo.constant dense<{text}> : {type_}" for n, text in zip(names, literals, strict=True)]
    ends = f"  return {', '.join(names)} : {types}\n}}\n"
    return f"{above}func.func public @main() -> ({types}) {{\n" + "\n".join(lines) + "\n" + ends


def weights(module: ModuleOp) -> list[g.WeightOp]:
    return [op for op in module.walk() if isinstance(op, g.WeightOp)]


def equal(found: Array, expected: Array) -> bool:
    return (found.dtype, found.shape, found.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())


@pytest.mark.parametrize("write", [in_bytes, in_brackets])
@pytest.mark.parametrize("name", TYPES)
def test_literals_of_any_type_stay_in_the_file(name: str, write: Any, tmp_path: Path) -> None:
    array, path = bits(1, name), tmp_path / "step.mlir"
    path.write_text(program(write(array), type_=type_text(array)))
    module = ndpir.read(path)
    (weight,) = weights(module)
    assert isinstance(weight.source, g.LiteralAttr)
    assert len(str(module)) < 500
    assert equal(ndpir.run(module, [])[0], array)
    assert equal(ndpir.run(ndpir.parse(str(module), str(tmp_path / "written.mlir")), [])[0], array)


@pytest.mark.slow
@given(st.integers(0, 99), st.sampled_from(TYPES), st.sampled_from([(33, 40), (1025,), (5, 1, 300)]))
@example(0, "?", (1031,))
def test_numbers_survive_text_memory_and_stablehlo(seed: int, name: str, shape: tuple[int, ...]) -> None:
    array = bits(seed, name, shape)
    module = ndpir.parse(program(in_bytes(array), type_=type_text(array)))
    text = str(module)
    assert len(text) < 500
    assert equal(ndpir.run(ndpir.parse(text), [])[0], array)
    assert equal(ndpir.run(ndpir.parse(ndpir.write(module, "stablehlo")), [])[0], array)


@pytest.mark.parametrize("count", [9, 104, 1031, 4096])
def test_truth_values_are_read_as_bytes_and_as_bits(count: int) -> None:
    """Truth values are written in two ways: one byte each by current versions of MLIR, eight in a byte by older
    versions."""
    array = np.random.default_rng(0).random(count) < 0.5
    packed = f'"0x{np.packbits(array, bitorder="little").tobytes().hex().upper()}"'
    for text in (in_bytes(array), packed):
        assert equal(ndpir.run(ndpir.parse(program(text, type_=type_text(array))), [])[0], array)


def test_a_wrong_number_of_truth_values_is_refused() -> None:
    with pytest.raises(InputError, match="7 bytes are neither 40 truth values nor as many bits"):
        ndpir.parse(program('"0x01010101010101"', type_="tensor<40xi1>"))


def test_short_literals_and_splats_are_constants() -> None:
    few = np.arange(LITERAL_LIMIT, dtype=np.int16)
    same = np.full(SHAPE, np.float32(-0.0))
    for array, text in ((few, in_bytes(few)), (same, in_bytes(same)), (same, "-0.0"), (same, '"0x00000080"')):
        module = ndpir.parse(program(text, type_=type_text(array)))
        assert not weights(module)
        assert equal(ndpir.run(module, [])[0], array)


def test_equal_literals_are_one_weight() -> None:
    one, other = bits(1, "f4"), bits(2, "f4")
    module = ndpir.parse(program(*map(in_bytes, (one, other, one)), type_=type_text(one)))
    assert [weight.sym.data for weight in weights(module)] == ["literal.0", "literal.1", "literal.0"]
    assert len(weights(ndpir.compile(module, "canonicalize"))) == 2
    for found, expected in zip(ndpir.run(module, []), (one, other, one), strict=True):
        assert equal(found, expected)


def test_positions_are_byte_offsets_in_the_file(tmp_path: Path) -> None:
    """Byte positions count a byte order mark, letters beyond ASCII, and previous parts of a split file."""
    array, path, out = bits(3, "i4"), tmp_path / "größe.mlir", tmp_path / "out.mlir"
    part = program(in_bytes(array), type_=type_text(array), above="// größe\n")
    path.write_bytes(b"\xef\xbb\xbf" + part.encode())
    assert equal(ndpir.run(ndpir.read(path), [])[0], array)
    path.write_bytes(b"\xef\xbb\xbf" + f"{part}// -----\n{part}".encode())
    assert main([str(path), "--split-input-file", "-o", str(out)]) == 0
    for again in out.read_text().split("// -----"):
        assert equal(ndpir.run(ndpir.parse(again, str(out)), [])[0], array)


def test_a_changed_file_is_reported(tmp_path: Path) -> None:
    array, path = bits(4, "f4"), tmp_path / "step.mlir"
    text = program(in_bytes(array), type_=type_text(array))
    path.write_text(text)
    module = ndpir.read(path)
    for wrong in ("// a line\n" + text, text[:-100], text.replace("0x", "0xZ")):
        path.write_text(wrong)
        message = (
            r'step\.mlir:2:9: weight "literal\.0" is a literal of tensor<33x40xf32> at byte \d+ of .*read the program'
        )
        with pytest.raises(InputError, match=message):
            ndpir.run(module, [])
    path.unlink()
    with pytest.raises(InputError, match=r"can't be read \(no such file"):
        ndpir.run(module, [])


def test_numbers_in_memory_are_lost_with_their_process() -> None:
    array = bits(5, "f4")
    gc.freeze()  # so that only garbage of this test is collected, which takes no second
    text = str(ndpir.parse(program(in_bytes(array), type_=type_text(array))))
    gc.collect()
    gc.unfreeze()
    with pytest.raises(InputError, match="were in the memory of the process that wrote this text, and are lost"):
        ndpir.run(ndpir.parse(text), [])
    module = ndpir.parse(program(in_bytes(array), type_=type_text(array)))
    wrong = str(module).replace("33x40xf32", "33x41xf32")
    with pytest.raises(InputError, match="is tensor<33x41xf32>, which does not fit the 5280 bytes"):
        ndpir.run(ndpir.parse(wrong), [])


def test_numbers_from_stdin_are_written_to_a_file_next_to_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from io import BytesIO, TextIOWrapper

    arrays, out = [bits(6, "f4"), bits(7, "f4")], tmp_path / "out.mlir"
    text = program(*map(in_bytes, [*arrays, arrays[0]]), type_=type_text(arrays[0]))

    def exit_code(*arguments: str) -> int:
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text.encode())))
        return main(["-", *arguments])

    assert exit_code("-o", str(out)) == 0
    assert (tmp_path / "out.mlir.weights").read_bytes() == b"".join(each.tobytes() for each in arrays)
    for found, expected in zip(ndpir.run(ndpir.read(out), []), [*arrays, arrays[0]], strict=True):
        assert equal(found, expected)
    assert exit_code() == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert 'error: the values of weight "literal.0" are only in memory, and text on stdout does not' in printed.err
    assert exit_code("-t", "values") == exit_code("-o", "/dev/null", "-p", "canonicalize", "--check") == 0


@pytest.mark.parametrize("resources", ["", '{-# dialect_resources: {builtin: {table: "0x04000000"}} #-}\n'])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("__elided__", "the printed text does not contain the numbers .* pass the lowered object to ndpir.read"),
        ("table", r"the numbers are in a resource \(dense_resource<table>\); print the program with dense literals"),
    ],
)
def test_elided_numbers_are_reported(name: str, message: str, resources: str) -> None:
    text = program("1.0", type_="tensor<4xf32>").replace("dense<1.0>", f"dense_resource<{name}>") + resources
    with pytest.raises(InputError, match=rf"^x\.mlir:2:9: stablehlo.constant: {message}"):
        ndpir.parse(text, "x.mlir")


@pytest.mark.slow
def test_literals_in_loops_and_calls(tmp_path: Path) -> None:
    """Literals work in the body of a loop that is kept, in the body of an unrolled loop, and in a called function."""
    table, path = bits(8, "i4"), tmp_path / "step.mlir"
    literal = f"stablehlo.constant dense<{in_bytes(table)}> : tensor<33x40xi32>"
    for iterations in (3, 90):
        path.write_text(f"""
func.func public @main(%x: tensor<33x40xi32>) -> tensor<33x40xi32> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<33x40xi32>
    cond {{
    %end = stablehlo.constant dense<{iterations}> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }} do {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %t = {literal}
    %2 = stablehlo.xor %a, %t : tensor<33x40xi32>
    %3 = func.call @more(%2) : (tensor<33x40xi32>) -> tensor<33x40xi32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<33x40xi32>
  }}
  return %0#1 : tensor<33x40xi32>
}}
func.func private @more(%a: tensor<33x40xi32>) -> tensor<33x40xi32> {{
  %t = {literal}
  %0 = stablehlo.add %a, %t : tensor<33x40xi32>
  return %0 : tensor<33x40xi32>
}}
""")
        module, argument = ndpir.read(path), np.arange(33 * 40, dtype=np.int32).reshape(33, 40)
        expected = argument
        for _ in range(iterations):
            expected = (expected ^ table) + table
        assert {weight.sym.data for weight in weights(module)} == {"literal.0"}
        for step in ("canonicalize", "inline,canonicalize", "gpu-only"):
            compiled = ndpir.compile(module, step, machine="a100")
            assert equal(ndpir.run(compiled, [argument])[0], expected)
        assert len(weights(ndpir.compile(module, "inline,canonicalize"))) == 1
        back = ndpir.parse(ndpir.write(module, "stablehlo"))
        assert equal(ndpir.run(back, [argument])[0], expected)


def test_a_mask_in_a_closure_is_recognized() -> None:
    """A causal mask that a function gets from its closure (`jnp.tril` outside of the function) is recognized like a
    mask that the function computes."""
    mask = np.tri(64, dtype=np.bool_)
    module = ndpir.parse(f"""
func.func public @main(%q: tensor<2x64x8xf32>, %k: tensor<2x64x8xf32>, %v: tensor<2x64x8xf32>) -> tensor<2x64x8xf32> {{
  %m = stablehlo.constant dense<{in_bytes(mask)}> : tensor<64x64xi1>
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2]
    : (tensor<2x64x8xf32>, tensor<2x64x8xf32>) -> tensor<2x64x64xf32>
  %1 = stablehlo.broadcast_in_dim %m, dims = [1, 2] : (tensor<64x64xi1>) -> tensor<2x64x64xi1>
  %far = stablehlo.constant dense<-1.0e9> : tensor<2x64x64xf32>
  %2 = stablehlo.select %1, %0, %far : tensor<2x64x64xi1>, tensor<2x64x64xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %low) applies stablehlo.maximum across dimensions = [2]
    : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x64xf32>) -> tensor<2x64x64xf32>
  %5 = stablehlo.subtract %2, %4 : tensor<2x64x64xf32>
  %6 = stablehlo.exponential %5 : tensor<2x64x64xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2]
    : (tensor<2x64x64xf32>, tensor<f32>) -> tensor<2x64xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x64xf32>) -> tensor<2x64x64xf32>
  %9 = stablehlo.divide %6, %8 : tensor<2x64x64xf32>
  %10 = stablehlo.dot_general %9, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    : (tensor<2x64x64xf32>, tensor<2x64x8xf32>) -> tensor<2x64x8xf32>
  return %10 : tensor<2x64x8xf32>
}}""")
    assert " causal" in str(ndpir.compile(module, "canonicalize,fuse{attention=true}"))


@pytest.mark.skipif(find_spec("jaxlib") is None, reason="jaxlib is the second reader (extra `jax`)")
@pytest.mark.parametrize("write", [in_bytes, in_brackets])
def test_both_readers_find_the_same_literals(write: Any, tmp_path: Path) -> None:
    for name in TYPES:
        arrays = bits(9, name), bits(10, name)
        text = program(*map(write, arrays), type_=type_text(arrays[0]), above='// "dense<0x" größe\n')
        theirs = from_jaxlib.functions_of_text(text, "x.mlir")
        assert theirs is not None
        for ours, other in zip(read_functions(text, "x.mlir")[0].body.ops, theirs[0].body.ops, strict=True):
            a, b = ours.attributes.get("value"), other.attributes.get("value")
            assert a == b
            assert not isinstance(a, DenseLiteral) or (isinstance(b, DenseLiteral) and a.at == b.at)


class Lowered:
    """A stand-in for JAX's object of a lowered function."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def compiler_ir(self) -> Any:
        return self.module


@pytest.mark.slow
@pytest.mark.skipif(find_spec("jaxlib") is None, reason="jaxlib reads bytecode (extra `jax`)")
def test_literals_of_bytecode_and_objects(tmp_path: Path) -> None:
    """A file of bytecode holds the bytes of literals unencoded; literals of an object stay in memory."""
    from io import BytesIO

    ir, context = bytecode.mlir()
    for name in ("?", "bfloat16", "i1", "u4"):
        array, path, data = bits(11, name), tmp_path / f"{name}.mlirbc", BytesIO()
        parsed = ir.Module.parse(program(in_brackets(array), type_=type_text(array)), context)
        parsed.operation.write_bytecode(data)
        path.write_bytes(data.getvalue())
        module = ndpir.read(path)
        (weight,) = weights(module)
        assert isinstance(weight.source, g.FileAttr | g.HeldAttr if name == "?" else g.FileAttr)
        assert equal(ndpir.run(module, [])[0], array)
        (found,) = ndpir.run(ndpir.read(Lowered(parsed)), [])
        assert equal(found, array)

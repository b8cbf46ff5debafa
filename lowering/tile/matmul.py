"""Matrix products as contractions, from problems and from graph ops."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects import graph as g
from dialects.tile import KernelOp
from lowering.tile.building import Operand, unravelled
from lowering.tile.contraction import Contraction, contraction_kernel
from lowering.tile.epilogue import Epilogue, along, epilogue_of, named_epilogue
from lowering.tile.schedule import Problem, Schedule

F32 = Float32Type()
TYPES: dict[str, Attribute] = {"f16": Float16Type(), "bf16": BFloat16Type(), "f32": F32}


def matmul(
    name: str,
    device: str,
    shape: tuple[int, int, int],
    elements: tuple[Attribute, Attribute],
    schedule: Schedule,
    accumulator: Attribute | None = None,
) -> KernelOp:
    """Return the kernel of a product of M x K by K x N.

    `shape`: M, N and K; `elements`: types of the factors and of the product; `accumulator`: type of sums, by default
    f32.
    """
    m, n, k = shape
    row, column, depth = (AffineExpr.dimension(position) for position in range(3))
    factor, product = elements
    found = Contraction(
        (),
        m,
        n,
        (k,),
        Operand("a", (m, k), factor, (row, depth)),
        Operand("b", (k, n), factor, (depth, column)),
        F32 if accumulator is None else accumulator,
        Epilogue((), (Operand("c", (m, n), product, (row, column)),)),
    )
    return contraction_kernel(found, schedule, name, device)


def product_of(problem: Problem) -> Contraction:
    """Return the contraction of a problem that is not a convolution."""
    batches = (problem.batch,) if problem.batch > 1 else ()
    outer = [AffineExpr.dimension(position) for position in range(len(batches))]
    row, column, depth = (AffineExpr.dimension(len(batches) + position) for position in range(3))
    m, n, k, factor = problem.m, problem.n, problem.k, TYPES[problem.element]
    second = ((n, k), (column, depth)) if problem.across else ((k, n), (depth, column))
    shape, at = (*batches, m, n), (*outer, row, column)
    return Contraction(
        batches,
        m,
        n,
        (k,),
        Operand("a", (*batches, m, k), factor, (*outer, row, depth)),
        Operand("b", (*batches, *second[0]), factor, (*outer, *second[1])),
        TYPES[problem.accumulator],
        named_epilogue(problem.epilogue, shape, at, TYPES[problem.result], column),
    )


def contraction_of_matmul(op: g.MatmulOp, around: g.FusedOp | None = None) -> Contraction:
    """Return the contraction of a matrix product, with the following ops of its kernel as epilogue. If the second
    factor has no batch, the first factor's batch is merged into its rows.
    """
    a, b, result = g.tensor_of(op.a), g.tensor_of(op.b), tuple(g.shape_of(op.y))
    *outer, m, n = result
    k = op.sizes[3]
    turned, across = bool(op.transpose_a.value.data), bool(op.transpose_b.value.data)
    as_rows = not turned and prod(b.get_shape()[:-2]) == 1 and tuple(a.get_shape()[:-2]) == tuple(outer)
    batches = () if as_rows else tuple(extent for extent in outer if extent > 1)
    row, column, depth = (AffineExpr.dimension(len(batches) + position) for position in range(3))
    if as_rows:
        *at, inner_row = unravelled(row, (*outer, m))
    else:
        numbers = iter(range(len(batches)))
        at = [AffineExpr.dimension(next(numbers)) if extent > 1 else AffineExpr.constant(0) for extent in outer]
        inner_row = row
    first = (depth, inner_row) if turned else (inner_row, depth)
    second = (column, depth) if across else (depth, column)

    def operand(hint: str, value: SSAValue, matrix: tuple[AffineExpr, AffineExpr]) -> Operand:
        shape = g.shape_of(value)
        return Operand(hint, shape, a.element_type, (*along(shape[:-2], outer, at), *matrix), value)

    return Contraction(
        batches,
        prod(outer) * m if as_rows else m,
        n,
        (k,),
        operand("a", op.a, first),
        operand("b", op.b, second),
        sums_of(a.element_type),
        epilogue_of(op, around, result, (*at, inner_row, column)),
    )


def sums_of(element: Attribute) -> Attribute:
    """Return the accumulator type of products of an element type, as graph ops define it."""
    return F32 if isinstance(element, Float16Type | BFloat16Type) else element

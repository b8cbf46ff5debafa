"""`-t triton`: kernels of thread blocks in Triton's language, each with a function that launches it on tensors."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import IO, ClassVar, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.utils.target import Target

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, is_float
from dialects.launching import memref_of
from dialects.programs.index import bounds_of
from dialects.tile import (
    Access,
    AccessingOp,
    BarrierOp,
    BlocksOp,
    BufferOp,
    CommitOp,
    CopyOp,
    FillOp,
    ForOp,
    IotaOp,
    KernelOp,
    MmaOp,
    ReadOp,
    ViewOp,
    WaitOp,
    WhenOp,
    WriteOp,
    scope_of,
)
from dialects.tile.loops import range_of
from dialects.values import called
from interp.tile.accesses import check_accesses

LARGE = 1 << 31
"""The number of elements of a memory from which on its offsets are computed in 64 bits; Triton's default is 32."""
ELEMENTS = {"float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8"}
"""The element types that Triton and torch have in common, by the name that both use."""

FORMULAS: Mapping[type[g.GraphOp], str] = {
    g.AbsOp: "tl.abs({0})",
    g.NegOp: "-{0}",
    g.ExpOp: "tl.exp({0})",
    g.LogOp: "tl.log({0})",
    g.SqrtOp: "tl.sqrt({0})",
    g.RsqrtOp: "tl.rsqrt({0})",
    g.ReciprocalOp: "1.0 / {0}",
    g.SinOp: "tl.sin({0})",
    g.CosOp: "tl.cos({0})",
    g.TanhOp: "2.0 * tl.sigmoid(2.0 * {0}) - 1.0",
    g.ErfOp: "tl.erf({0})",
    g.SigmoidOp: "tl.sigmoid({0})",
    g.ReluOp: "tl.maximum({0}, 0.0)",
    g.SiluOp: "{0} * tl.sigmoid({0})",
    g.FloorOp: "tl.floor({0})",
    g.CeilOp: "tl.ceil({0})",
    g.AddOp: "{0} + {1}",
    g.SubOp: "{0} - {1}",
    g.MulOp: "{0} * {1}",
    g.DivOp: "{0} / {1}",
    g.MinOp: "tl.minimum({0}, {1})",
    g.MaxOp: "tl.maximum({0}, {1})",
    g.SelectOp: "tl.where({0}, {1}, {2})",
}
"""Element-wise graph ops as expressions of Triton; operands of shorter floating-point types are cast to f32."""
REDUCTIONS = {"sum": "tl.sum", "max": "tl.max", "min": "tl.min"}
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@dataclass(frozen=True)
class TritonTarget(Target):
    """The kernels of thread blocks of a program in Triton's language, as a Python file: a `triton.jit` function for
    each grid and a function that launches the grids on torch tensors. Print kernels that request stages before
    `pipeline-buffers` runs: Triton pipelines loops itself, with the number of stages in `num_stages`.

    Properties that Triton can't express are written as comments: stages of registers, rows and columns of warps,
    padding and swizzles of shared memory. Raises InputError for accesses to parts of buffers, and for tiles with
    extents that are no powers of two, since Triton can express neither, and for kernels that are certain to access
    global memory wrongly (interp/tile/accesses.py).

    `compile`: compile each function for this compute capability (80: A100), which needs the package `triton` but no
    GPU, and write in comments the number of registers per thread and the bytes of shared memory that the compiler
    allocated.
    """

    name: ClassVar[str] = "triton"
    compile: int | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        kernels = [op for op in module.walk() if isinstance(op, KernelOp)]
        if not kernels:
            raise InputError(
                "triton: the program has no tile.kernel to print; write one (docs/tile.md), or let a pass make "
                "kernels of graph ops",
                module,
            )
        for kernel in kernels:
            check_accesses(kernel)
        text = text_of(kernels)
        if self.compile is not None:
            from ndpir.writers.triton.compiler import compiled

            text += "".join(f"\n# {line}" for line in compiled(text, functions(kernels), self.compile)) + "\n"
        output.write(text)


def text_of(kernels: Sequence[KernelOp]) -> str:
    """The text of a Python file with the functions of the given kernels. Raises InputError, at the op, for an op or
    access that Triton can't express."""
    head = '"""Kernels of thread blocks in Triton\'s language, printed by ndpir."""\n\nimport torch\nimport triton\n'
    return head + "import triton.language as tl\n" + "".join(_kernel(kernel) for kernel in kernels)


def functions(kernels: Sequence[KernelOp]) -> dict[str, BlocksOp]:
    """The grids of kernels by the names of their `triton.jit` functions."""
    found: dict[str, BlocksOp] = {}
    for kernel in kernels:
        name, grids = _identifier(kernel.sym_name.data), kernel.grids
        for number, grid in enumerate(grids):
            found[f"{name}_blocks" if len(grids) == 1 else f"{name}_blocks_{number}"] = grid
    return found


def _kernel(kernel: KernelOp) -> str:
    """The functions of a kernel's grids, and the function that launches them."""
    names = _Names()
    own = [op for op in kernel.body.block.ops if isinstance(op, BufferOp)]
    memories = [*kernel.body.block.args, *(op.memory for op in own)]
    arguments: dict[SSAValue, str] = {value: names.fresh(value.name_hint or "x") for value in memories}
    grids = functions([kernel])
    text = "".join(_Function(grid, dict(arguments), name).text() for name, grid in grids.items())
    inputs, outputs = ([arguments[value] for value in values] for values in (kernel.inputs, kernel.outputs))
    lines = [f"def {_identifier(kernel.sym_name.data)}({', '.join(inputs)}):"]
    shapes = [f"{arguments[value]} {_type_text(memref_of(value))}" for value in kernel.inputs]
    lines.append(f'    """Launch it on contiguous tensors of a GPU: {", ".join(shapes)}."""')
    device = f"{inputs[0]}.device" if inputs else '"cuda"'
    for value in [*kernel.outputs, *(op.memory for op in own)]:
        name, type_ = arguments[value], memref_of(value)
        dtype = f"torch.{_element(type_.element_type, kernel)}"
        lines.append(f"    {name} = torch.empty({type_.get_shape()}, dtype={dtype}, device={device})")
    for name, grid in grids.items():
        listed = ", ".join(arguments.values())
        lines.append(f"    {name}[({grid.count},)]({listed}, num_warps={prod(grid.warp_grid)})")
    lines.append(f"    return {', '.join(outputs)}")
    return text + "\n\n" + "\n".join(lines) + "\n"


def _type_text(type_: MemRefType[Attribute]) -> str:
    return f"{'x'.join(map(str, type_.get_shape()))} {type_.element_type}"


def _element(element: Attribute, at: Operation) -> str:
    name = dtype_of(element).name
    if name == "bool":
        return "int1"
    if name not in ELEMENTS:
        raise InputError(f"triton: Triton has no element type {element}; cast to f16, bf16 or f32", at)
    return name


def _identifier(hint: str) -> str:
    """A valid Python name that differs from keywords, built-ins and the modules that the file imports."""
    name = "".join(each if each.isalnum() and each.isascii() else "_" for each in hint)
    if not name or name[0].isdigit():
        name = f"v{name}"
    taken = keyword.iskeyword(name) or hasattr(builtins, name) or name in ("tl", "triton", "torch", "pid")
    return f"{name}_" if taken else name


class _Names:
    """A generator of Python names that are all different."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)

    def fresh(self, hint: str) -> str:
        stem = _identifier(hint)
        name, number = stem, 1
        while name in self.taken:
            name, number = f"{stem}_{number}", number + 1
        self.taken.add(name)
        return name


@dataclass
class _Function:
    """The Python function of a grid, under construction."""

    grid: BlocksOp
    names: dict[SSAValue, str]
    """The Python variable for each memory, loop variable and tensor."""
    name: str
    lines: list[str] = field(default_factory=list[str])
    depth: int = 1

    def __post_init__(self) -> None:
        self.given = _Names([*self.names.values(), self.name])
        self.large = any(prod(memref_of(value).get_shape()) >= LARGE for value in self.names)

    def text(self) -> str:
        arguments = ", ".join(self.names.values())
        self._notes()
        self._blocks()
        self._block(self.grid.body.block)
        return f"\n\n@triton.jit\ndef {self.name}({arguments}):\n" + "\n".join(self.lines) + "\n"

    def _say(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def _of(self, value: SSAValue, otherwise: str = "v") -> str:
        if value not in self.names:
            self.names[value] = self.given.fresh(value.name_hint or otherwise)
        return self.names[value]

    # The head

    def _notes(self) -> None:
        """Write comments on properties of the grid that Triton can't express or decides itself."""
        rows, columns = self.grid.warp_grid
        if rows * columns > 1:
            self._say(f"# Triton lays out its warps itself: {rows} rows by {columns} columns are not said.")
        for op in self.grid.body.block.ops:
            if not isinstance(op, BufferOp):
                continue
            for said, what in (
                (op.scope.data == "register" and op.requested_stages > 1, f"{op.requested_stages} stages of registers"),
                (op.padding, f"rows padded by {op.padding} elements"),
                (op.swizzled is not None, "rows swizzled"),
            ):
                if said:
                    self._say(f"# Triton has no word for {called(op.memory)}: {what}.")

    def _blocks(self) -> None:
        """Write the code that computes the variables of the grid from the index of the thread block, in the grid's
        order."""
        extents, order = [len(each) for each in self.grid.ranges], self.grid.order.value.data
        names = [self._of(value, "i") for value in self.grid.body.block.args]
        self._say("pid = tl.program_id(0)")
        rest = "pid"
        formulas = [""] * len(names)
        if order > 1 and len(extents) > 1:
            rows, columns = extents[-2:]
            area = rows * columns
            inner = rest if len(extents) == 2 else f"({rest} % {area})"
            group = f"({inner} // {rows * order} * {order})"
            first, width = self.given.fresh("first"), self.given.fresh("width")
            self._say(f"{first} = {group[1:-1]}")
            self._say(f"{width} = min({order}, {columns} - {first})")
            within = f"({inner} % {rows * order})"
            formulas[-2], formulas[-1] = f"{within} // {width}", f"{first} + {within} % {width}"
            left, done = len(names) - 2, area
        else:
            left, done = len(names), 1
        for number in reversed(range(left)):
            formulas[number] = rest if done == 1 else f"{rest} // {done}"
            if number:
                formulas[number] += f" % {extents[number]}"
            done *= extents[number]
        for name, formula, values in zip(names, formulas, self.grid.ranges, strict=True):
            self._say(f"{name} = {formula}" + (f" + {values.start}" if values.start else ""))

    # The body

    def _block(self, block: Block) -> None:
        for op in block.ops:
            match op:
                case BufferOp():
                    if op.scope.data == "shared":
                        self._sizes(op, memref_of(op.memory).get_shape())
                case CommitOp() | WaitOp() | BarrierOp():
                    pass  # Triton places its own
                case FillOp():
                    shape = self._whole(op, op.target)
                    element = self._tl(op.target.memory, op)
                    self._say(
                        f"{self._of(op.target.memory)} = tl.full({shape}, {_number(op.number.value.data)}, {element})"
                    )
                case CopyOp():
                    self._copy(op)
                case MmaOp():
                    self._product(op, *(self._read(op, access) for access in op.accesses[:2]))
                case ReadOp():
                    self._say(f"{self._of(op.value)} = {self._read(op, op.source)}")
                case WriteOp():
                    self._write(op, op.target, self._of(op.value), g.tensor_of(op.value).element_type)
                case ForOp():
                    self._loop(op)
                case WhenOp():
                    self._say(f"if {_index(op.zero, [self._of(each) for each in op.indices])} == 0:")
                    self._inside(op.body.block)
                case IotaOp():
                    self._numbers(op)
                case g.GraphOp():
                    self._arithmetic(op)
                case _:
                    self._refuse(op, f"it has no op for {op.name}")

    def _inside(self, block: Block) -> None:
        self.depth += 1
        before = len(self.lines)
        self._block(block)
        if len(self.lines) == before:
            self._say("pass")
        self.depth -= 1

    def _refuse(self, op: Operation, why: str) -> NoReturn:
        raise InputError(f"triton: {why}", op)

    def _tl(self, memory: SSAValue, at: Operation) -> str:
        return f"tl.{_element(memref_of(memory).element_type, at)}"

    def _sizes(self, op: Operation, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of a tile. Raises InputError, at `op`, if an extent is not a power of two, as Triton requires."""
        if any(extent & (extent - 1) for extent in shape):
            self._refuse(op, f"extents of its tiles are powers of two, not {'x'.join(map(str, shape))}; choose others")
        return tuple(shape)

    def _whole(self, op: Operation, access: Access) -> tuple[int, ...]:
        """The shape of the buffer that an access covers completely. Raises InputError for an access to a part of a
        buffer."""
        shape = tuple(memref_of(access.memory).get_shape())
        whole = access.box.sizes == shape and all(start == AffineConstantExpr(0) for start in access.box.starts)
        if scope_of(access.memory) == "global" or not whole:
            self._refuse(
                op,
                f"it can't take a part of {called(access.memory)}, since a tile is one value there; leave loops over "
                "stages to Triton (print the kernel before pipeline-buffers), and let boxes be whole buffers",
            )
        return self._sizes(op, shape)

    def _read(self, op: Operation, access: Access) -> str:
        """The Python variable with the value of an accessed buffer. Raises InputError if the buffer was not written
        before."""
        self._whole(op, access)
        if access.memory not in self.names:
            self._refuse(op, f"{called(access.memory)} is read before it is written")
        return self.names[access.memory]

    def _write(self, op: Operation, access: Access, value: str, element: Attribute) -> None:
        """Assign a value to the variable of a buffer, cast to the buffer's element type."""
        self._whole(op, access)
        same = element == memref_of(access.memory).element_type
        cast = "" if same else f".to({self._tl(access.memory, op)})"
        if (name := self._of(access.memory)) != value or cast:
            self._say(f"{name} = {value}{cast}")

    def _copy(self, op: CopyOp) -> None:
        source, target = op.accesses
        ways = scope_of(source.memory) == "global", scope_of(target.memory) == "global"
        if ways == (False, False):
            self._write(op, target, self._read(op, source), memref_of(source.memory).element_type)
        elif ways == (True, False):
            self._whole(op, target)
            pointers, mask = self._pointers(op, 0, self._of(target.memory).rstrip("_"))
            masked = f", mask={mask}, other=0.0" if mask else ""
            loaded = f"tl.load({pointers}{masked})"
            self._write(op, target, loaded, memref_of(source.memory).element_type)
        elif ways == (False, True):
            value = self._read(op, source)
            pointers, mask = self._pointers(op, 1, self._of(target.memory).rstrip("_") + "_to")
            masked = f", mask={mask}" if mask else ""
            self._say(f"tl.store({pointers}, {value}.to({self._tl(target.memory, op)}){masked})")
        else:
            self._refuse(op, "it copies by way of a buffer; copy to registers first")

    def _pointers(self, op: CopyOp, number: int, stem: str) -> tuple[str, str]:
        """The addresses of the elements of a box of global memory, and the condition under which an element is inside
        of the memory (empty if all elements are), as Python expressions."""
        access = op.accesses[number]
        shape = memref_of(access.memory).get_shape()
        variables, ranges = [self._of(each) for each in op.indices], [range_of(each) for each in op.indices]
        rank, place = len(access.shape), 0
        subscripts, conditions = list[str](), list[str]()
        for axis, (start, size, extent) in enumerate(zip(access.box.starts, access.box.sizes, shape, strict=True)):
            begin = _index(start, variables)
            low, high = bounds_of(start, ranges)
            if size:
                dims = ", ".join(":" if each == place else "None" for each in range(rank))
                steps = f"tl.arange(0, {size})" + (".to(tl.int64)" if self.large else "")
                name = self.given.fresh(f"{stem}_{axis}")
                begun = f"({begin} + {steps})" if begin != "0" else steps
                self._say(f"{name} = {begun}" + (f"[{dims}]" if rank > 1 else ""))
                place += 1
            else:
                name = f"({begin})" if " " in begin else begin
                name = f"tl.cast({begin}, tl.int64)" if self.large and variables else name
            subscripts.append(name)
            if op.padded is not None:
                conditions += _within(name, low, high + max(size, 1), extent)
        memory = access.memory
        if isinstance(view := memory.owner, ViewOp):
            memory, extents = view.source, [range(extent) for extent in shape]
            shape, viewed = memref_of(memory).get_shape(), subscripts
            subscripts = list[str]()
            for axis, (each, extent) in enumerate(zip(view.map.data.results, shape, strict=True)):
                name = _index(each, viewed)
                low, high = bounds_of(each, extents)
                if name not in viewed and not name.isdecimal():
                    name = self.given.fresh(f"{stem}_at_{axis}")
                    self._say(f"{name} = {_index(each, viewed)}")
                subscripts.append(name)
                conditions += _within(name, low, high + 1, extent)
        terms = [self.names[memory]]
        for axis, name in enumerate(subscripts):
            stride = prod(shape[axis + 1 :])
            if name != "0":
                terms.append(name if stride == 1 else f"{name} * {stride}")
        return " + ".join(terms), " & ".join(dict.fromkeys(conditions))

    def _product(self, op: MmaOp, a: str, b: str) -> None:
        total = op.accesses[2]
        name, element = self._read(op, total), memref_of(total.memory).element_type
        second = f"tl.trans({b})" if op.across is not None else b
        words = ""
        if str(memref_of(op.accesses[0].memory).element_type) == "f32":
            words += ', input_precision="ieee"'
        if str(element) != "f32":
            words += f", out_dtype={self._tl(total.memory, op)}"
        self._say(f"{name} = tl.dot({a}, {second}, {name}{words})")

    # Loops

    def _loop(self, loop: ForOp) -> None:
        if (products := _fragments(loop)) is not None:
            for op, a, b in products:
                for memory in (a, b):
                    self._sizes(op, memref_of(memory).get_shape())
                    if memory not in self.names:
                        self._refuse(op, f"{called(memory)} is read before it is written")
                self._product(op, self.names[a], self.names[b])
            return
        values, stages = loop.values, self._stages(loop)
        words = f", num_stages={stages}" if stages else ""
        ends = f"{values.start}, {values.stop}" if values.start or words else f"{values.stop}"
        self._say(f"for {self._of(loop.variable, 'k')} in {'tl.' if words else ''}range({ends}{words}):")
        self._inside(loop.body.block)

    def _stages(self, loop: ForOp) -> int:
        """The number of stages of the buffers that a loop fills from global memory; 0 if the loop fills no buffers."""
        filled = [
            op.target.memory.owner
            for op in loop.body.block.ops
            if isinstance(op, CopyOp) and scope_of(op.source.memory) == "global"
        ]
        return max((each.requested_stages for each in filled if isinstance(each, BufferOp)), default=0)

    # Arithmetic

    def _numbers(self, op: IotaOp) -> None:
        shape = self._sizes(op, g.shape_of(op.value))
        start = _index(op.start, [self._of(each) for each in op.indices])
        axis = max(range(len(shape)), key=lambda each: shape[each])
        dims = ", ".join(":" if each == axis else "None" for each in range(len(shape)))
        self._say(f"{self._of(op.value)} = ({start} + tl.arange(0, {shape[axis]}))[{dims}]")

    def _arithmetic(self, op: g.GraphOp) -> None:
        y = op.results[0]
        shape, element = self._sizes(op, g.shape_of(y)), g.tensor_of(y).element_type
        operands = [self.names[value] for value in op.operands]
        match op:
            case g.ConstantOp():
                if not op.value.is_splat:
                    self._refuse(op, "its constants are one number; bring a tile of numbers in by a tile.copy")
                found = op.value.array().reshape(-1)[0].item()
                number = _number(found) if isinstance(found, float) else repr(found)
                if not shape:  # a number of Python's takes the type of what it meets
                    self.names[y] = number
                    return
                formula = f"tl.full({shape}, {number}, tl.{_element(element, op)})"
            case g.CastOp():
                formula = f"{operands[0]}.to(tl.{_element(element, op)})"
            case g.ReduceOp() if op.kind.data in REDUCTIONS:
                formula = operands[0]
                for axis in sorted(op.axis_set(), reverse=True):
                    kept = ", keep_dims=True" if op.keep_dims.value.data else ""
                    formula = f"{REDUCTIONS[op.kind.data]}({formula}, axis={axis}{kept})"
            case g.BroadcastOp():
                x = g.shape_of(op.x)
                aligned = (1,) * (len(shape) - len(x)) + tuple(x)
                inner = operands[0] if aligned == tuple(x) else f"tl.reshape({operands[0]}, {aligned})"
                formula = f"tl.broadcast_to({inner}, {shape})"
            case g.ReshapeOp():
                formula = f"tl.reshape({operands[0]}, {shape})"
            case g.TransposeOp() if len(shape) == 2:
                formula = f"tl.trans({operands[0]})"
            case g.CompareOp():
                formula = f"{operands[0]} {COMPARISONS[op.kind.data]} {operands[1]}"
            case _ if type(op) in FORMULAS:
                wide = [self._widened(value) for value in op.operands]
                formula = FORMULAS[type(op)].format(*wide)
                if wide != operands:
                    formula = f"({formula}).to(tl.{_element(element, op)})"
            case _:
                self._refuse(op, f"this target has no formula for {op.name}")
        self._say(f"{self._of(y)} = {formula}")

    def _widened(self, value: SSAValue) -> str:
        """The Python expression of a tensor, cast to f32 if its floating-point type is shorter: graph ops compute in
        f32."""
        element = g.tensor_of(value).element_type
        narrow = is_float(element) and dtype_of(element).itemsize < 4 and bool(g.shape_of(value))
        return f"{self.names[value]}.to(tl.float32)" if narrow else self.names[value]


def _within(name: str, low: int, end: int, extent: int) -> list[str]:
    """The conditions under which a subscript, whose values range from `low` to `end` - 1, is inside of an axis of
    `extent`."""
    return [*([f"({name} >= 0)"] if low < 0 else []), *([f"({name} < {extent})"] if end > extent else [])]


def _number(number: float) -> str:
    """A floating-point number in Python's syntax, including infinities and nan."""
    return repr(number) if number - number == 0 else f'float("{number}")'


def _fragments(loop: ForOp) -> list[tuple[MmaOp, SSAValue, SSAValue]] | None:
    """The products of a loop that copies factors to registers in pieces along K, each with the two buffers that hold
    its complete factors; None for any other loop. Triton computes each sum over pieces as one product."""
    pieces: dict[SSAValue, tuple[SSAValue, int | None]] = {}
    products: list[tuple[MmaOp, SSAValue, SSAValue]] = []
    for op in loop.body.block.ops:
        if (
            isinstance(op, CopyOp)
            and scope_of(op.source.memory) != "global"
            and scope_of(op.target.memory) == "register"
        ):
            source, target = op.accesses
            types = [memref_of(access.memory).element_type for access in op.accesses]
            if types[0] != types[1] or _piece(op, target, loop) != (True, None):
                return None
            found = _piece(op, source, loop)
            if not found[0]:
                return None
            pieces[target.memory] = (source.memory, found[1])
        elif isinstance(op, MmaOp):
            factors: list[tuple[SSAValue, int | None]] = []
            for access in op.accesses[:2]:
                fits, axis = _piece(op, access, loop)
                memory, before = pieces.get(access.memory, (access.memory, None))
                if not fits or (axis is not None and before is not None):
                    return None
                factors.append((memory, axis if before is None else before))
            (a, first), (b, second) = factors
            if (
                first != 1
                or second != (1 if op.across is not None else 0)
                or _piece(op, op.accesses[2], loop) != (True, None)
            ):
                return None
            products.append((op, a, b))
        elif not isinstance(op, CommitOp | WaitOp | BarrierOp):
            return None
    return products or None


def _piece(op: AccessingOp, access: Access, loop: ForOp) -> tuple[bool, int | None]:
    """True if an accessed box is a full buffer, or if the loop's iterations access consecutive boxes that cover the
    buffer along one axis; and this axis, None for a full buffer."""
    shape, variables = memref_of(access.memory).get_shape(), list(op.indices)
    along: int | None = None
    for axis, (start, size, extent) in enumerate(zip(access.box.starts, access.box.sizes, shape, strict=True)):
        if start == AffineConstantExpr(0) and size == extent:
            continue
        turns = loop.values
        if along is not None or loop.variable not in variables or turns.start or len(turns) * size != extent:
            return False, None
        if start not in _multiples(variables.index(loop.variable), size):
            return False, None
        along = axis
    return True, along


def _multiples(position: int, size: int) -> tuple[AffineExpr, ...]:
    """All affine expressions that can represent the product of `size` and the loop variable with index `position`."""
    variable = AffineExpr.dimension(position)
    return (variable * size, AffineExpr.constant(size) * variable, *([variable] if size == 1 else []))


_WORDS = {
    AffineBinaryOpKind.Add: "+",
    AffineBinaryOpKind.Mul: "*",
    AffineBinaryOpKind.FloorDiv: "//",
    AffineBinaryOpKind.Mod: "%",
}


def _index(expression: AffineExpr, variables: Sequence[str]) -> str:
    """An affine index expression as text in Python's syntax."""
    match expression:
        case AffineConstantExpr(value):
            return str(value)
        case AffineDimExpr(position):
            return variables[position]
        case AffineBinaryOpExpr():
            left, right = _index(expression.lhs, variables), _index(expression.rhs, variables)
            left, right = (f"({each})" if " " in each else each for each in (left, right))
            return f"{left} {_WORDS[expression.kind]} {right}"
        case _:
            raise ValueError(f"{expression} is no index expression")

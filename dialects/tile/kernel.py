"""Kernels of thread blocks, and the op that launches them."""

from __future__ import annotations

from math import inf
from typing import ClassVar, cast

from xdsl.dialects.builtin import Float64Type, FloatAttr
from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import IsolatedFromAbove, NoTerminator, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from dialects.diagnostics import WrongInside
from dialects.graph.constant import ConstantOp
from dialects.graph.op import GraphOp
from dialects.graph.roles import FusionRole
from dialects.launching import CountedOp, LaunchedOp, LaunchingOp, ProgramExists
from dialects.tile.loops import BlocksOp
from dialects.tile.memory import BufferOp
from dialects.tile.views import ViewOp

ARITHMETIC = (
    FusionRole.POINTWISE,
    FusionRole.CONVERSION,
    FusionRole.MOVEMENT,
    FusionRole.VIEW,
    FusionRole.REDUCTION,
)
"""Kinds of graph ops that a thread block may execute on registers, in addition to constants."""


SCALE = "tile.scale"
"""Attribute of a kernel: the factor of the time of its grids (see `KernelOp`)."""
LAUNCH_SCALE = "tile.launch_scale"
"""Attribute of a kernel with a `SCALE`: the factor of the time of its launch (see `KernelOp`)."""


@irdl_op_definition
class KernelOp(CountedOp):
    """Define a kernel: grids of thread blocks that run serially; each grid reads what earlier grids have written.

    `(inputs) -> (outputs)` are memrefs in the device's memory. (C1) They are static and contiguous, hold numbers, and
    at least one is an output. (C2) The body holds tile.blocks, views and global buffers. Inside tile.blocks are `tile`
    ops, and graph ops that work element by element, move elements or reduce them. (C3) The attribute `tile.scale`, if
    present, is a positive number by which the time of the grids is multiplied: `to-tile` writes it where a library has
    a kernel for the same ops, so that the fastest schedule takes as long as that kernel. (C4) The attribute
    `tile.launch_scale`, if present, is a positive number by which the time of the launch is multiplied, and
    `tile.scale` is present, too: `to-tile` writes it where the library's kernel was measured and takes no longer than a
    launch.

    ```mlir
    tile.kernel @gemm on @gpu (%a: memref<256x64xf16>, %b: memref<64x128xf16>) -> (%c: memref<256x128xf16>) {
      tile.blocks %i = 0 to 2, %j = 0 to 1 warps 4, 2 {
        %as = tile.buffer shared : memref<128x32xf16>
        %bs = tile.buffer shared : memref<32x128xf16>
        %af = tile.buffer register : memref<128x32xf16>
        %bf = tile.buffer register : memref<32x128xf16>
        %sum = tile.buffer register : memref<128x128xf32>
        tile.fill %sum with 0.0
        tile.for %k = 0 to 2 {
          tile.copy %a[%i * 128 : 128, %k * 32 : 32] to %as
          tile.copy %b[%k * 32 : 32, %j * 128 : 128] to %bs
          tile.barrier
          tile.copy %as to %af
          tile.copy %bs to %bf
          tile.mma %af, %bf into %sum
          tile.barrier
        }
        tile.copy %sum to %c[%i * 128 : 128, %j * 128 : 128]
      }
    }
    ```
    """

    name = "tile.kernel"
    LEAST: ClassVar[int] = 1
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator())

    @property
    def grids(self) -> tuple[BlocksOp, ...]:
        """Grids of thread blocks of the kernel, in order."""
        return tuple(op for op in self.body.block.ops if isinstance(op, BlocksOp))

    @property
    def scale(self) -> float | None:
        """Return the factor of the time of the grids; None for a kernel that is timed by its sheet alone."""
        found = self.attributes.get(SCALE)
        return None if found is None else cast("FloatAttr[Float64Type]", found).value.data

    @property
    def launch_scale(self) -> float:
        """Return the factor of the time of the launch."""
        found = self.attributes.get(LAUNCH_SCALE)
        return 1.0 if found is None else cast("FloatAttr[Float64Type]", found).value.data

    def verify_(self) -> None:
        name = self.sym_name.data
        for key in (SCALE, LAUNCH_SCALE):
            given = self.attributes.get(key)
            if given is not None and not (isinstance(given, FloatAttr) and 0 < given.value.data < inf):  # (C3) (C4)
                raise VerifyException(
                    f"tile.kernel @{name}: {key} must be a positive number ({key} = 1.25 : f64), not {given}"
                )
        if LAUNCH_SCALE in self.attributes and SCALE not in self.attributes:  # (C4)
            raise VerifyException(f"tile.kernel @{name}: {LAUNCH_SCALE} needs {SCALE}; add it")
        self.check_memrefs()  # (C1)
        if not self.grids:  # (C2)
            raise VerifyException(f"tile.kernel @{name} has no grid of thread blocks; add a tile.blocks to it")
        for op in self.body.walk():
            if op is not self:
                _check_kind(op)  # (C2)


def _check_kind(op: Operation) -> None:
    """Raise WrongInside for an op that a kernel may not hold."""
    if op.name.startswith("tile.") and not isinstance(op, LaunchedOp | LaunchingOp):
        outside_grids = isinstance(op, BlocksOp | ViewOp) or (isinstance(op, BufferOp) and op.scope.data == "global")
        if isinstance(op.parent_op(), KernelOp) and not outside_grids:
            raise WrongInside(f"{op.name} must be inside of tile.blocks, not directly in tile.kernel", op)
        return
    if isinstance(op, ConstantOp) or (isinstance(op, GraphOp) and op.FUSION in ARITHMETIC):
        return
    raise WrongInside(
        "tile.kernel may hold tile ops, constants, and graph ops that work element by element, move elements "
        f"or reduce them, but not {op.name}",
        op,
    )


@irdl_op_definition
class LaunchOp(LaunchingOp):
    """Run a kernel on the device of the enclosing task. Operands are the kernel's inputs and results are its outputs,
    as tensors.

    (C1) The kernel exists and is written for that device. (C2) Operands and results have the shapes and element types
    of its memrefs.

    ```mlir
    tile.kernel @relu on @gpu (%x: memref<16x16xf32>) -> (%y: memref<16x16xf32>) {
      tile.blocks %i = 0 to 1 warps 1, 1 {
        %t = tile.buffer register : memref<16x16xf32>
        tile.copy %x to %t
        %v = tile.read %t
        %r = graph.relu %v : tensor<16x16xf32>
        tile.write %r to %t
        tile.copy %t to %y
      }
    }
    func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
      %y = tile.launch @relu (%x) : (tensor<16x16xf32>) -> tensor<16x16xf32>
      func.return %y : tensor<16x16xf32>
    }
    ```
    """

    name = "tile.launch"
    LAUNCHES: ClassVar = KernelOp
    traits = traits_def(Pure(), ProgramExists())

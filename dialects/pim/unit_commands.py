"""Commands on accumulators of the banks' units: set them, and apply an activation table."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, prop_def

from dialects.pim.command import Command, HostOp, ScopedOp
from dialects.pim.form import HostPart, IndexPart, Quoted, ScopePart, TextPart
from dialects.programs.properties import INTS


@irdl_op_definition
class BiasOp(ScopedOp, HostOp):
    """Set accumulators of the addressed banks from host memory, one entry per bank; `into` is the index of the
    accumulator (default 0). The old sums are overwritten. Accumulators of the banks' element type round the entry. If
    units keep a sum per lane, the entry is stored in the first lane.

    (C1) the memref is an input in host memory. (C2) subscripts are in bounds.

    ```mlir
    pim.kernel @f on @pim (%x: memref<2x2xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %x[0]
      pim.bias all from %x[1]
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.drain all to %y
      pim.pre all
    }
    ```
    """

    name = "pim.bias"
    COMMAND: ClassVar[Command] = Command("bias", "set the accumulators", bound="biases")
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        HostPart("from"),
        IndexPart("into", "accumulator", "accumulator", "sets"),
    )
    OWN_ELEMENT: ClassVar[bool] = False
    accumulator = prop_def(INTS)


@irdl_op_definition
class ActivateOp(ScopedOp):
    """Apply an activation function to an accumulator of each addressed bank, by table, into the bank's activation
    register. `from` is the index of the accumulator (default 0), which keeps its sum.

    Tables are samples of functions with linear interpolation (interp/kinds/pim/values/activation_tables.py):
    results are those of the table, not of the exact function.

    ```mlir
    pim.kernel @gate on @pim (%x: memref<8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
      pim.load %x
      pim.act all row 0
      pim.mac all columns 0 to 2
      pim.pre all
      pim.activate all "sigmoid"
      pim.activated all to %y[1]
      pim.drain all to %y[0]
    }
    ```
    """

    name = "pim.activate"
    COMMAND: ClassVar[Command] = Command(
        "activate", "a function of the accumulators, by table", bound="activations", row="table", register="fills"
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        Quoted("function", 'the name of an activation table ("gelu")'),
        IndexPart("from", "accumulator", "accumulator", "reads"),
    )
    function = prop_def(StringAttr)
    accumulator = prop_def(INTS)


@irdl_op_definition
class ActivatedOp(ScopedOp, HostOp):
    """Copy activation registers of the addressed banks to host memory, in the memref's element type, one entry per
    bank. The registers keep their values.

    (C1) the memref is an output. (C2) subscripts are in bounds.

    ```mlir
    pim.kernel @one on @pim (%b: memref<2xf32>) -> (%y: memref<2xf32>) {
      pim.bias all from %b
      pim.activate all "gelu"
      pim.activated all to %y
    }
    ```
    """

    name = "pim.activated"
    COMMAND: ClassVar[Command] = Command(
        "activated", "read the activation registers out", bound="drains", delivers=True, register="reads"
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (ScopePart(), HostPart("to"))
    OWN_ELEMENT: ClassVar[bool] = False

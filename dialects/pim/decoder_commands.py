"""Commands to the decoder instead of the banks: configuration registers, barriers, and a vendor's instructions that
move no data."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, opt_attr_def, prop_def
from xdsl.utils.exceptions import VerifyException

from dialects.pim.command import Command, CommandOp
from dialects.pim.form import NumberPart, Quoted, TextPart
from dialects.programs.properties import INT, INTS, LIMIT


@irdl_op_definition
class SetOp(CommandOp):
    """Give a configuration register a value. Commands name explicitly the function or mode that a device selects by
    registers (`pim.activate all "gelu"`), so computed values do not depend on registers; the op exists because vendors'
    traces contain such commands and devices spend time on them.

    (C1) register and value are 0 or more.

    ```mlir
    pim.kernel @configured on @pim (%b: memref<2xf32>) -> (%y: memref<2xf32>) {
      pim.set 2 = 1
      pim.bias all from %b
      pim.activate all "gelu"
      pim.activated all to %y
    }
    ```
    """

    name = "pim.set"
    COMMAND: ClassVar[Command] = Command("set", "give a configuration register a value", optional=True)
    FORM: ClassVar[tuple[TextPart, ...]] = (NumberPart("register"), NumberPart("value", "="))
    register = prop_def(INT)
    value = prop_def(INT)

    def verify_(self) -> None:
        super().verify_()
        for number in (self.register.value.data, self.value.value.data):
            if not 0 <= number <= LIMIT:  # (C1)
                raise VerifyException(f"pim.set: registers and their values are 0 to {LIMIT}, not {number}")


@irdl_op_definition
class BarrierOp(CommandOp):
    """A barrier: no later command begins before all earlier ones are complete. Outside of `pim.channels` it
    synchronises all channels with each other; inside, it applies to each channel separately.

    ```mlir
    pim.kernel @together on @pim (%b: memref<2x2xf32>) -> (%y: memref<2x2xf32>) {
      pim.channels %c = 0 to 2 {
        pim.bias all from %b[%c]
      }
      pim.barrier
      pim.channels %c = 0 to 2 {
        pim.drain all to %y[%c]
      }
    }
    ```
    """

    name = "pim.barrier"
    COMMAND: ClassVar[Command] = Command(
        "barrier", "wait until all before it is complete", bound="barriers", optional=True
    )


@irdl_op_definition
class StepOp(CommandOp):
    """An instruction that the decoder executes itself, in the vendor's syntax: it takes decoder time and issues no
    command on a channel's bus. Numeric execution refuses it, since it may change state that only the vendor's registers
    hold.

    (C1) the text is one non-empty line.

    ```mlir
    pim.kernel @stepped on @pim (%b: memref<2xf32>) -> (%y: memref<2xf32>) {
      pim.step "W GPR 0"
      pim.bias all from %b
      pim.drain all to %y
    }
    ```
    """

    name = "pim.step"
    COMMAND: ClassVar[Command] = Command("step", "an instruction of the decoder's own", bound="decoder", optional=True)
    FORM: ClassVar[tuple[TextPart, ...]] = (Quoted("text", 'an instruction in quotes ("W GPR 0")'),)
    text = prop_def(StringAttr)
    number = opt_attr_def(INTS)
    """The operand after the text, for example an address, as an index expression, if it varies with the enclosing
    loops."""

    def verify_(self) -> None:
        super().verify_()
        if not self.text.data.strip() or "\n" in self.text.data:  # (C1)
            raise VerifyException(
                f"pim.step: the text must be one non-empty line in the vendor's syntax, not {self.text}"
            )

"""Levels: dialects of programs for a device's units, which tasks launch.

A level is registered once, by the name of its dialect (LEVELS). It defines the ops that hold and launch its programs,
and for each program the values that it computes, its cost, its memory, and the errors for programs that a device can't
execute. All other packages use this interface and name none of the level's ops (a test checks this); a pass of the
level generates its programs from tasks. A level has a room in each package:

    pim    dialects/pim/   interp/kinds/pim/   lowering/banks/   ndpir/reports/banks/, ndpir/traces/
    ndp    dialects/ndp/   interp/kinds/ndp/   lowering/ndp/     ndpir/reports/near_data/
    tile   dialects/tile/  interp/tile/        lowering/tile/    ndpir/writers/triton/

examples/plugin/strip.py is a level of some 200 lines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Operation
from xdsl.traits import SymbolTable

from dialects.diagnostics import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from interp.machine.cost import Cost
    from interp.machine.device import Device
    from interp.machine.variants import PimVariants, VariedCosts

Array: TypeAlias = "NDArray[Any]"
Shaped: TypeAlias = TensorType[Attribute] | MemRefType[Attribute]


class Level(ABC):
    """The interface of a level's programs. A program is an op with a symbol, `sym_name`, and the device that it is
    written for, `device`; a launch refers to it as `kernel`.
    """

    PROGRAM: ClassVar[type[Operation]]
    """The class of the op that holds a program; such ops are directly in the module, as functions are."""
    LAUNCH: ClassVar[type[Operation]]
    """The class of the op that runs a program on tensors, inside or outside of a task."""

    @abstractmethod
    def inputs(self, program: Operation) -> Sequence[Shaped]:
        """The shape and element type of each input of a program."""

    @abstractmethod
    def run(self, program: Operation, device: Device, operands: Sequence[Array]) -> list[Array]:
        """The results of a program. Raises InputError, at the op, for commands that the device can't execute or would
        execute wrongly.
        """

    @abstractmethod
    def cost(self, program: Operation, device: Device) -> Cost:
        """The cost of one launch of a program. Raises InputError, at the op, for commands that the device can't execute
        or would execute wrongly.
        """

    def varied_costs(self, program: Operation, variants: PimVariants) -> VariedCosts | None:
        """The costs of one launch of a program on all variants of a device; None if the level costs variants one by
        one. Raises InputError as `cost` does."""
        return None

    def timed_by(self, program: Operation) -> str:
        """The model that times a program, in words; empty if it also times the ops that the program stands for."""
        return ""

    def check_device(self, program: Operation, device: Device) -> None:
        """Raises InputError, at the program, if its device does not run such programs."""
        return

    def unfinished(self, program: Operation) -> str:
        """The reason why a program can be neither run nor timed before a later pass completes it; empty if it can."""
        return ""

    def steps(self, program: Operation) -> int:
        """The number of commands, or of ops, that one run of a program executes serially."""
        return 1

    def heaviest(self, program: Operation) -> tuple[Operation, int] | None:
        """The loop that contributes most to `steps`, and its trip count; None for a program without loops."""
        return None

    def bus_bytes(self, program: Operation, device: Device) -> int | None:
        """Bytes that a program moves over the device's buses; None if the program uses no bus that is shared with other
        devices."""
        return None

    def held(self, program: Operation, index: int, device: Device) -> int:
        """The bytes of device memory that one argument of a program, by its number, occupies in the program's own
        layout; 0 if the program needs no such copy of the value, or if `kept` counts it."""
        return 0

    def kept(self, program: Operation, device: Device) -> int:
        """The bytes of device memory that all arguments of a program together occupy in the program's own layouts; 0 if
        the program needs no such copies of values, or if `held` counts them."""
        return 0

    def scratch(self, program: Operation, device: Device) -> Iterator[tuple[Hashable, int]]:
        """Device memory that a program needs in addition to its arguments and results, as pairs (name, bytes); programs
        share memory of the same name."""
        return iter(())


LEVELS: dict[str, Level | Callable[[], Level]] = {}
"""Levels by the names of their dialects. The built-in levels are registered in interp/__init__.py as functions that
create them, so that programs that don't use them import nothing; plugins add their own levels."""


def level_of(op: Operation) -> Level | None:
    """The level of an op's dialect; None if the dialect is no level."""
    found = LEVELS.get(name := op.name.partition(".")[0])
    if found is not None and not isinstance(found, Level):
        found = LEVELS[name] = found()
    return found


def is_launch(op: Operation) -> bool:
    """True if an op launches a program of a level."""
    level = level_of(op)
    return level is not None and isinstance(op, level.LAUNCH)


def is_program(op: Operation) -> bool:
    """True if an op is a program of a level."""
    level = level_of(op)
    return level is not None and isinstance(op, level.PROGRAM)


def programs_in(module: ModuleOp) -> dict[str, Operation]:
    """The programs of a module, by name."""
    return {name_of(op): op for op in module.body.block.ops if is_program(op)}


def unfinished(module: ModuleOp) -> str:
    """The first reason why a program of the module can be neither run nor timed before a later pass completes it; empty
    if all programs are complete."""
    reasons = (level_with(program).unfinished(program) for program in programs_in(module).values())
    return next((reason for reason in reasons if reason), "")


def level_with(program: Operation) -> Level:
    """The level of the op `program`, which must be a program of a level."""
    level = level_of(program)
    assert level is not None
    return level


def name_of(program: Operation) -> str:
    """A program's name."""
    name = program.properties["sym_name"]
    assert isinstance(name, StringAttr)
    return name.data


def device_of(program: Operation) -> str:
    """The name of the device that a program is written for."""
    device = program.properties["device"]
    assert isinstance(device, SymbolRefAttr)
    return device.root_reference.data


def launched_name(launch: Operation) -> str:
    """The name of the program that a launch refers to."""
    return _symbol(launch).root_reference.data


def program_of(launch: Operation) -> Operation | None:
    """The program that a launch refers to; None if the module has no program of that name."""
    program = SymbolTable.lookup_symbol(launch, _symbol(launch))
    return program if program is not None and is_program(program) else None


def needed_program(launch: Operation) -> Operation:
    """The program that a launch refers to. Raises InputError if there is none."""
    program = program_of(launch)
    if program is None:
        raise InputError(f"{launch.name}: there is no kernel @{launched_name(launch)}", launch)
    return program


def _symbol(launch: Operation) -> SymbolRefAttr:
    kernel = launch.properties["kernel"]
    assert isinstance(kernel, SymbolRefAttr)
    return kernel

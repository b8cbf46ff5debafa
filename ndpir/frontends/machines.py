"""The choice of a program's machine: its own `hw` ops, `--machine`, or the default machine.

- The program's own `hw` ops are used, unless `--machine` is given: its machine replaces them, with a note.
- A program without `hw` ops and without `--machine` gets `DEFAULT`, with a note, but only if a pass or target needs a
  machine (its class says `NEEDS_MACHINE = True`): printing a program needs none.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from dialects.diagnostics import InputError, note

DEFAULT = "a100-newton"


def attach_machine(module: ModuleOp, wanted: str | None, needed_by: str | None) -> None:
    """Insert a machine's `hw` ops before the program's ops, by the rules in the docstring of this file.

    `wanted`: a machine file or sheet, by name or path. `needed_by`: the pass or target that needs a machine, if any.
    Raises InputError for an unknown or invalid machine, and for a device whose name is already used in the program.
    """
    if wanted is None and needed_by is None:
        return
    own = machine_of(module)
    if own and wanted is None:
        return
    from interp.machine.composition import machine_ops

    new = machine_ops(DEFAULT if wanted is None else wanted)
    if own:
        note(f"the machine {wanted} replaces the program's own (hw.device @{', @'.join(_devices(own))})", own[0])
        for op in own:
            op.detach()
            op.erase()
    elif wanted is None:
        note(f"{needed_by} needs a machine, but none is given; {DEFAULT} is used (--machine NAME chooses another)")
    check_symbols(module, new)
    insert_first(new, module)


def check_symbols(module: ModuleOp, machine: list[Operation]) -> None:
    """Raises InputError for a function or kernel of the program with the name of a device of the machine."""
    for op in module.ops:
        name = op.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr) and name.data in _devices(machine) and op.name != "hw.device":
            raise InputError(
                f"@{name.data} is the name of both a device of the machine and a function or kernel of the program; "
                "rename one of the two",
                op,
            )


def insert_first(ops: list[Operation], module: ModuleOp) -> None:
    """Insert ops before all others of a program."""
    if (first := module.body.block.first_op) is None:
        module.body.block.add_ops(ops)
    else:
        module.body.block.insert_ops_before(ops, first)


def machine_of(module: ModuleOp) -> list[Operation]:
    """The `hw` ops of the program that declare its machine."""
    return [op for op in module.ops if op.name in ("hw.device", "hw.link")]


def _devices(ops: list[Operation]) -> list[str]:
    from dialects.hw import DeviceOp

    return [op.sym_name.data for op in ops if isinstance(op, DeviceOp)]

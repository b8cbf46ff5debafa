"""The choice of a program's machine: the one that stands in it, the one of `--machine`, or the default one.

- The program's own `hw` ops count, unless `--machine` is given: then its machine replaces them, and a note says so.
- Without both, `DEFAULT` is taken, and a note says so; only when a pass or target needs a machine at all (its class
  says `NEEDS_MACHINE = True`): printing a program needs none.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from dialects.diagnostics import InputError, note

DEFAULT = "a100-newton"


def needs_machine(thing: object) -> bool:
    """True if a pass or target (its class or an instance) asks for one."""
    return bool(getattr(thing, "NEEDS_MACHINE", False))


def is_compared(each: object) -> bool:
    """True if a pass (`COMPARED = True`) leaves a program of which its baseline can't be told any more, so that this is
    noted before."""
    return bool(getattr(each, "COMPARED", False))


def reads_baseline(target: object) -> bool:
    """True if the output of a target may tell the baseline: that of all but those that say `BASELINE = False`."""
    return bool(getattr(target, "BASELINE", True))


def attach_machine(module: ModuleOp, wanted: str | None, needed_by: str | None) -> None:
    """Put a machine's `hw` ops in front of the program's ops by the rules above.

    `wanted`: a machine file or sheet, by name or path. `needed_by`: who needs a machine, if anybody. Raises InputError
    for an unknown or wrong machine, and for a device whose name the program has for something else.
    """
    if wanted is None and needed_by is None:
        return
    own = machine_of(module)
    if own and wanted is None:
        return
    from interp.machine.composition import machine_ops

    new = machine_ops(wanted or DEFAULT)
    if own:
        note(f"the machine {wanted} replaces the program's own (hw.device @{', @'.join(_devices(own))})", own[0])
        for op in own:
            op.detach()
            op.erase()
    elif wanted is None:
        note(f"{needed_by} needs a machine and none is given: {DEFAULT} is taken (--machine NAME chooses another)")
    for op in module.ops:
        name = op.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr) and name.data in _devices(new):
            raise InputError(f"@{name.data} is a device of the machine, too; give one of the two another name", op)
    if (first := module.body.block.first_op) is None:
        module.body.block.add_ops(new)
    else:
        module.body.block.insert_ops_before(new, first)


def machine_of(module: ModuleOp) -> list[Operation]:
    """The `hw` ops of the program that declare its machine."""
    return [op for op in module.ops if op.name in ("hw.device", "hw.link")]


def _devices(ops: list[Operation]) -> list[str]:
    from dialects.hw import DeviceOp

    return [op.sym_name.data for op in ops if isinstance(op, DeviceOp)]

"""A trace as a whole program: the machine, the kernel, and a function that launches it."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from dialects.diagnostics import InputError
from dialects.locations import at_line
from dialects.pim import KernelOp, memref_of
from interp.machine.composition import Machine, machine_ops
from ndpir.traces.reading import READERS, TITLES, named_machine, read_trace, vendor_of

SUFFIXES = ("pim", "trace")
"""Extensions of trace files."""


def read_program(context: Context, text: str, file: str, machine: str | None) -> ModuleOp:
    """A trace as a program for the device of `machine`, a machine file or sheet by name or path. Raises InputError."""
    if machine is None:
        vendor = vendor_of(text)
        way = named_machine(vendor) if vendor else "--machine aim, newton, …"
        found = TITLES[vendor] if vendor else "a trace"
        raise InputError(f"the file is {found}, which names no device to run on; select one ({way})", file)
    module = ModuleOp(machine_ops(machine))
    tracing = {name: device for name, device in Machine.of(module).pims.items() if device.trace in READERS}
    if not tracing:
        vendor = vendor_of(text)
        way = named_machine(vendor) if vendor else "--machine aim"
        raise InputError(
            f"{machine} has no device whose sheet names a trace format (`trace`), so it can't run a trace; "
            f"select a machine that has one ({way})",
            file,
        )
    name, pim = next(iter(tracing.items()))
    kernel = read_trace(text, pim, file, "trace", name)
    module.body.block.add_op(kernel)
    main = Parser(context, _main(kernel), file).parse_module()
    for op in list(main.body.block.ops):
        op.detach()
        for inner in op.walk():
            inner.location = at_line(file, 1, 1)
        module.body.block.add_op(op)
    return module


def _main(kernel: KernelOp) -> str:
    """The text of a function that launches the kernel: host inputs are its arguments, weights are resident in the
    banks."""
    place = kernel.place

    def tensor(value: object) -> str:
        type_ = memref_of(value)  # pyright: ignore[reportArgumentType]
        return f"tensor<{'x'.join(map(str, type_.get_shape()))}x{type_.element_type}>"

    hosts = [value for value in kernel.inputs if value not in kernel.in_banks]
    inputs = [(f"%{value.name_hint}", tensor(value)) for value in hosts]
    outputs = [tensor(value) for value in kernel.outputs]
    lines: list[str] = []
    given: list[str] = []
    for value in kernel.inputs:
        name = value.name_hint
        if value in kernel.in_banks:
            lines.append(f'%{name}_all = graph.weight "{name}" = uniform(-1.0, 1.0, 1) : {tensor(value)}')
            lines.append(f"%{name} = task.resident %{name}_all on @{place}")
        given.append(f"%{name}")
    results = [f"%r{at}" for at in range(len(outputs))]
    launched = [f"%l{at}" for at in range(len(outputs))]
    inside = [f"%k{at}" for at in range(len(given))]
    bound = ", ".join(f"{i} = {g}" for i, g in zip(inside, given, strict=True))
    types = ", ".join(f"!task.on<@{place}, {type_}>" for type_ in outputs)
    lines += [
        f"{', '.join(results)} = task.run @{place} ({bound}) {{",
        f"  {', '.join(launched)} = pim.launch @{kernel.sym_name.data} ({', '.join(inside)}) : "
        f"({', '.join(map(tensor, kernel.inputs))}) -> ({', '.join(outputs)})",
        f"  task.yield {', '.join(launched)}",
        "}",
        f"func.return {', '.join(results)} : {types}",
    ]
    arguments = ", ".join(f"{name}: !task.on<@{place}, {type_}>" for name, type_ in inputs)
    body = "\n".join(f"  {line}" for line in lines)
    returned = f"({types})" if len(outputs) > 1 else types
    return f"func.func @main({arguments}) -> {returned} {{\n{body}\n}}\n"

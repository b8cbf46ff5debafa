"""Operators that can't be imported: one error that lists all of them, with the modules that call them."""

from __future__ import annotations

from collections.abc import Mapping

from dialects.diagnostics import InputError
from ndpir.frontends.torch import opaque
from ndpir.frontends.torch.call import converter_of
from ndpir.frontends.torch.program import Node, Program

MOST_PLACES = 3
"""The number of modules that are named for each operator."""
_ADVICE: Mapping[str, str] = {
    "aten.nonzero": "the shape of its result depends on data; write the model with masks (torch.where)",
    "aten.unique2": "the shape of its result depends on data; compute it outside of the model",
    "aten._unique2": "the shape of its result depends on data; compute it outside of the model",
    "aten.masked_select": "the shape of its result depends on data; write the model with masks (torch.where)",
    "aten.item": "a number that depends on data decides what runs; write it with torch.cond or torch.where",
    "aten._local_scalar_dense": "a number that depends on data decides what runs; write it with torch.cond",
}
_DECOMPOSE = (
    "decompose it to ATen ops that are supported (program.run_decompositions()), write a converter in a plugin "
    "(ndpir/frontends/torch/call.py), or read it as opaque (--opaque)"
)


def unsupported(program: Program) -> dict[str, list[Node]]:
    """The calls of operators without a converter, by the operator's name."""
    found: dict[str, list[Node]] = {}
    for node in program.graph.walk():
        if converter_of(node) is None:
            found.setdefault(node.target, []).append(node)
    return found


def refuse_unsupported(program: Program, is_opaque: bool) -> None:
    """Raise InputError, which lists all unsupported operators, the number of their calls, and modules that call them.
    `is_opaque`: those of which opaque ops can be made are not listed."""
    found = unsupported(program)
    if is_opaque:
        found = {name: nodes for name, nodes in found.items() if opaque.why_never(nodes[0]) is not None}
    if not found:
        return
    listed = "; ".join(_listed(name, nodes) for name, nodes in sorted(found.items()))
    ways = dict.fromkeys(_ADVICE.get(nodes[0].op, _DECOMPOSE) for nodes in found.values())
    what = "an operator is" if len(found) == 1 else f"{len(found)} operators are"
    raise InputError(f"{what} not supported: {listed}; {'; '.join(ways)}", f"{program.name}:1:1")


def _listed(name: str, nodes: list[Node]) -> str:
    places = [place for place in dict.fromkeys(node.place for node in nodes) if place]
    shown = ", ".join(places[:MOST_PLACES])
    rest = f" and {len(places) - MOST_PLACES} more places" if len(places) > MOST_PLACES else ""
    times = "once" if len(nodes) == 1 else f"{len(nodes)} times"
    return f"{name} ({times}{', in ' + shown if shown else ''}{rest})"

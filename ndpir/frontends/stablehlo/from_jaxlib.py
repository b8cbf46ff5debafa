"""StableHLO programs read by jaxlib's MLIR if it is installed: text, which jaxlib reads ten times as fast as ndpir's
own grammar, and bytecode, which the grammar can't read. Both readers return equal records."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from dialects.diagnostics import InputError
from ndpir.frontends import bytecode
from ndpir.frontends.stablehlo.module import (
    AttributeText,
    DenseLiteral,
    HloAttribute,
    HloBlock,
    HloFunction,
    HloModule,
    HloOp,
    HloType,
    HloValue,
)
from ndpir.frontends.stablehlo.text import attribute_of, listed, type_of

MIN_JAXLIB_LENGTH = 1 << 16
"""The least number of characters for which a text is read by jaxlib: loading jaxlib takes 0.3 s, and ndpir's own
grammar reads this many characters in the same time."""


def is_installed() -> bool:
    """True if jaxlib is installed."""
    return find_spec("jaxlib") is not None


def functions_of_text(text: str, file: str) -> list[HloFunction] | None:
    """The functions of a program; None if jaxlib rejects the text. The caller then parses it with ndpir's own grammar,
    which also reports errors."""
    if not _is_decodable(text):
        return None
    ir, context = bytecode.mlir()
    text, cut = _without_long_literals(text)
    try:
        return functions_of_module(ir.Module.parse(text, context), file, cut)
    except (ir.MLIRError, ValueError):
        return None


def _is_decodable(text: str) -> bool:
    """True if the escaped bytes in the strings of a text are UTF-8. On others, the bindings of MLIR end the process."""
    try:
        for found in _ESCAPED.finditer(text):
            bytes.fromhex(found[0].replace("\\", "")).decode()
    except UnicodeDecodeError:
        return False
    return True


_ESCAPED = re.compile(r"(?:\\[0-9A-Fa-f]{2})+")


_LONG = re.compile(
    r'(?:constant|value =) (?P<dense>dense<(?P<text>"[^"]{256,}"|[^<>"]{256,})>)|//[^\n]*|"(?:[^"\\\n]++|\\.)*+"'
)
"""Matches a constant's long literal, a comment, or a string."""
_CUT = "ndpir_cut"


def _without_long_literals(text: str) -> tuple[str, list[DenseLiteral]]:
    """A text whose long literals are replaced by names, and the list of these literals. MLIR would keep the literals in
    memory until the process ends."""
    if re.search(r"dense<[^<>]{256}", text) is None:
        return text, []
    cut: list[DenseLiteral] = []
    parts, end = list[str](), 0
    for found in _LONG.finditer(text):
        if found["dense"]:
            at = found.start("dense")
            parts += text[end:at], f"dense_resource<{_CUT}{len(cut)}>"
            cut.append(DenseLiteral(found["text"], at=at))
            end = found.end()
    return "".join([*parts, text[end:]]), cut


def functions_of_bytecode(data: bytes, file: str) -> list[HloFunction]:
    """The functions of a program in MLIR's bytecode, or of a portable artifact, as written by `jax.export`. Raises
    InputError if jaxlib is missing or rejects the bytecode."""
    if not is_installed():
        raise InputError(
            "reading MLIR's bytecode needs jaxlib; install it (pip install 'ndpir[jax]'), or pass text", file
        )
    run = subprocess.run([sys.executable, "-P", bytecode.__file__], input=data, capture_output=True, check=False)
    if run.returncode < 0:
        raise InputError(f"the bytecode is damaged: it ends the process of jaxlib (signal {-run.returncode})", file)
    ir, context = bytecode.mlir()
    try:
        if run.returncode == 0 and _is_decodable(text := run.stdout.decode()):
            return functions_of_module(ir.Module.parse(text, context), file)
    except (ir.MLIRError, ValueError):
        pass
    raise InputError(
        "jaxlib can't read this bytecode; write it with the installed version of jaxlib, or pass text", file
    )


def functions_of_module(module: Any, file: str, cut: Sequence[DenseLiteral] = ()) -> list[HloFunction]:
    """The functions of a module of MLIR's Python bindings, such as `lowered.compiler_ir()`. `cut`: literals that were
    replaced by names."""
    return list(_ModuleReader(file, cut).functions(module.operation, ()))


class _ModuleReader:
    """Converts one module to records; equal types and attributes are parsed only once, since a program has few
    different ones."""

    def __init__(self, file: str, cut: Sequence[DenseLiteral]) -> None:
        self.file, self.cut = file, cut
        self.types: dict[Any, HloType] = {}
        self.attributes: dict[Any, HloAttribute] = {}

    def functions(self, module: Any, around: Sequence[HloModule]) -> Iterator[HloFunction]:
        around = (*around, HloModule(self.attributes_of(module), self.place(module)))
        for op in module.regions[0].blocks[0].operations:
            op = op.operation
            if op.name == "builtin.module":
                yield from self.functions(op, around)
            elif op.name == "func.func" and len(op.regions[0].blocks):
                yield self.function(op, around)

    def function(self, op: Any, around: Sequence[HloModule]) -> HloFunction:
        function_attributes = self.attributes_of(op)
        block = op.regions[0].blocks[0]
        values: dict[Any, HloValue] = {}
        body = self.block(block, values)
        argument_attributes: list[dict[str, HloAttribute]] = []
        attributes = function_attributes.get("arg_attrs", [])
        for index, argument in enumerate(block.arguments):
            own = dict(attributes[index]) if attributes else {}
            if (name := _NAME.match(str(argument.location))) is not None:
                own["jax.arg_info"] = name[1]
            argument_attributes.append(own)
        return HloFunction(
            str(function_attributes["sym_name"]),
            body,
            self.place(op),
            argument_attributes,
            function_attributes.get("res_attrs", []),
            function_attributes,
            around,
        )

    def block(self, block: Any, values: dict[Any, HloValue]) -> HloBlock:
        arguments = [HloValue(f"%arg{index}", self.type(each.type)) for index, each in enumerate(block.arguments)]
        values |= zip(block.arguments, arguments, strict=True)
        return HloBlock(arguments, [self.op(op.operation, values) for op in block.operations])

    def op(self, op: Any, values: dict[Any, HloValue]) -> HloOp:
        operands = [values[each] for each in op.operands]
        results = [HloValue("", self.type(each.type)) for each in op.results]
        values |= zip(op.results, results, strict=True)
        regions = [self.block(region.blocks[0], values) for region in op.regions]
        name = op.name.removeprefix("stablehlo.").removeprefix("func.")
        return HloOp(name, operands, results, self.attributes_of(op), regions, self.place(op))

    def attributes_of(self, op: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, attribute in op.attributes.items():
            if key in ("arg_attrs", "res_attrs"):  # not cached: long, and no two equal
                found[key] = [
                    {each.name: self.attribute(each.name, each.attr) for each in dictionary} for dictionary in attribute
                ]
            elif key != "function_type":  # arguments and results have these types
                found[key] = self.attribute(key, attribute)
        return found

    def attribute(self, key: str, attribute: Any) -> HloAttribute:
        if (value := self.attributes.get((key, attribute))) is None:
            text = str(attribute)
            if AttributeText.is_of(key):
                return AttributeText(text)
            value = text[1:-1] if hasattr(attribute, "value_bytes") else listed(key, attribute_of(text))  # of a string
            if isinstance(value, DenseLiteral) and (name := _NAME_OF_CUT.match(value.text)) is not None:
                value = replace(self.cut[int(name[1])], type=value.type)
            self.attributes[key, attribute] = value
        return value

    def type(self, type_: Any) -> HloType:
        if (found := self.types.get(type_)) is None:
            found = self.types[type_] = type_of(str(type_))
        return found

    def place(self, op: Any) -> str:
        """The location of an op: in the text, or in the user's own program if the op's location states one."""
        found = _FILE.search(str(op.location))
        if found is None:
            return f"{self.file}:1:1"
        return f"{self.file if found[1] == '-' else found[1]}:{found[2]}"


_NAME_OF_CUT = re.compile(rf"dense_resource<{_CUT}(\d+)")  # MLIR appends _1 to a repeated name
_NAME = re.compile(r'loc\("([^"\\]*)"[()]')
_FILE = re.compile(r'"([^"]*)":(\d+:\d+)')

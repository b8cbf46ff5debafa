"""The front end for text: xDSL's parser, extended by locations, MLIR's printed syntax and better error messages."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    FileLineColLoc,
    FusedLoc,
    IndexType,
    IntAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, AttributeInvT, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from dialects.braces import BracedOp
from dialects.diagnostics import InputError
from dialects.text.lexer import Lexer
from dialects.text.op_names import meant
from dialects.text.suggestions import hint, nearest
from dialects.text.syntax_errors import example_of, example_of_attribute, with_clear_message
from dialects.values import note_written
from ndpir.diagnostics.verify import sentence
from ndpir.frontends.machines import machine_of
from ndpir.registry.universe import DIALECTS

_LOCATION_ALIAS = re.compile(r"^#loc\w*[ \t]*=", re.MULTILINE)
_INTEGER_TYPE = re.compile(r"[su]?i0*(\d+)")
_WRITTEN_NAME = re.compile(r'"?[A-Za-z_][\w.$-]*')
_DECLARATION = re.compile(r'\bhw\.device[ \t]+@(?:"([^"\n]*)"|([\w.$-]+))|"hw\.device"[^\n]*\bsym_name = "([^"\n]*)"')
_number = cache(IntAttr)

MOST_BITS = 16777215
"""The largest number of bits of an integer type, as in MLIR."""


def read_text(
    ctx: Context,
    source: IO[bytes],
    name: str,
    *,
    lines_above: int = 0,
    implicit_module: bool = True,
    file: str | None = None,
) -> ModuleOp:
    """The module in the text `source`. `lines_above`: the number of preceding lines of the file (`--split-input-file`).
    `file`: the file that holds the text, if it is another one than `name`.

    Raises ParseError or UnicodeDecodeError; ops have the location `name:line:column`.
    """
    text = source.read().decode("utf-8-sig")
    return PlacingParser(ctx, text, name, lines_above, file).parse_module(implicit_module)


class PlacingParser(Parser):
    """A parser that gives each op the location of its name as a `FileLineColLoc`, as MLIR does; a location that the
    text states, `loc(…)` or `loc(unknown)`, takes precedence."""

    def __init__(self, ctx: Context, text: str, name: str, lines_above: int = 0, file: str | None = None) -> None:
        """`file`: the file that holds the text, if it is another one than `name`; other files that the text names are
        read only from its folder."""
        self._lines_above = lines_above
        self.file = name if file is None else file
        super().__init__(ctx, "", name)
        try:
            self._parser_state = ParserState(Lexer(Input(text, name)))
        except ParseError as error:  # the first token is invalid
            raise with_clear_message(error) from None
        self._file = StringAttr(name)
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._op_at: list[int] = []
        self._attributes_at: list[tuple[int, type[Attribute]]] = []
        """The types and attributes that are being read, each with the position of its body."""
        self._ops: list[Operation] = []
        """The ops that were read so far."""
        self.devices_read: list[tuple[int, str]] = []
        """The devices that the ops name that are being read, each with its position."""
        self._after_location = -1
        self._first_use: dict[str, tuple[Span, Mapping[str, object]]] = {}
        self._early_aliases = set[str]()

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        if allow_implicit_module and self._current_token.kind == MLIRTokenKind.EOF:
            return ModuleOp([])  # a file of comments is a program without ops
        try:
            self._early_aliases = self._read_location_aliases(self.lexer.input.content)
            module = super().parse_module(allow_implicit_module)
            self._check_named_files(module)
            return module
        except ParseError as error:
            # xDSL reports an undefined value at the end of the file; report the first use instead.
            if self.forward_ssa_references and self._current_token.kind == MLIRTokenKind.EOF:
                name = next(iter(self.forward_ssa_references))
                self._raise_undefined(name)
            self._report_trace(error)
            self._report_device(error)
            raise with_clear_message(error, *self._innermost_op(), self._innermost_attribute(error)) from None
        except VerifyException as error:
            from dialects.verify_errors import reworded  # only errors need it

            self._report_device(error)
            self.raise_error(reworded(sentence(str(error))))
        except RecursionError:
            self.raise_error("the program is nested too deeply here; flatten it, or divide it into functions")
        except Exception as error:
            if isinstance(error, MemoryError) or not _is_of_xdsl(error):
                raise
            # xDSL raises an assertion or a bare Python error for some invalid text.
            self.raise_error(f"the text can't be read here{self._example()}")

    def _check_named_files(self, module: ModuleOp) -> None:
        """Raise InputError for sheets and profiles outside of the folder of this text. Weights are checked when they
        are read."""
        if machine := machine_of(module):
            from dialects.hw import SheetOp
            from interp.machine.sheets.named_files import check_named_files

            for op in machine:
                if isinstance(op, SheetOp):
                    check_named_files(op, self.file)

    def _report_trace(self, error: ParseError) -> None:
        """Add the name of the trace format to an error message if a vendor's command trace was given as a program."""
        from ndpir.traces.reading import TITLES, named_machine, vendor_of

        if (vendor := vendor_of(self.lexer.input.content)) is not None:
            error.msg = f"this is {TITLES[vendor]}, not a program; name its file .trace, or give -f trace, and "
            error.msg += f"the device that it was written for ({named_machine(vendor)})"

    def _report_device(self, error: ParseError | VerifyException) -> None:
        """Replace an error by that of an unknown device, if an op above names one, or the op that can't be read, or an
        op around it: errors of types follow from it."""
        from dialects.hw import no_device
        from dialects.task.naming import declared_devices, undeclared_devices

        text = self.lexer.input.content
        below = [name for names in _DECLARATION.findall(text, self.pos) for name in names if name]
        known = dict.fromkeys((*declared_devices(self._ops), *below))
        if not known:
            return  # the machine is chosen later
        for op, message in undeclared_devices(self._ops, self.ctx, known):
            raise InputError(message, op) from error
        for position, device in self.devices_read:
            around = [start for start in self._op_at if start <= position]
            if device not in known and around and (written := _WRITTEN_NAME.match(text, around[-1])):
                place = self._place(around[-1])
                name = written[0].strip('"')
                where = f"{place.filename.data}:{place.line.data}:{place.column.data}"
                raise InputError(f"{name}: {no_device(device, known)}", where) from error

    def parse_operation(self) -> Operation:
        outer = len(self.devices_read)
        op = super().parse_operation()
        del self.devices_read[outer:]  # the op itself names them
        self._ops.append(op)
        position = self._op_at.pop()
        if isinstance(op.location, UnknownLoc) and self._after_location != self.pos:
            op.location = self._place(position)
        return op

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        results = super()._parse_op_result_list()
        self._op_at.append(self.pos)  # the op's name comes next
        return results

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        note_written(name, values)

    def _innermost_op(self) -> tuple[type[Operation] | None, bool]:
        """The class of the op that is being parsed (None if unknown), and True if its name is quoted."""
        if not self._op_at:
            return None, False
        written = _WRITTEN_NAME.match(self.lexer.input.content, self._op_at[-1])
        if written is None:
            return None, False
        name = written[0].strip('"')
        known = (self.ctx.get_optional_op(each) for each in (name, f"func.{name}", f"builtin.{name}"))
        return next((op for op in known if op is not None), None), written[0].startswith('"')

    def _example(self) -> str:
        """The end of a message with an example of the op, type or attribute that is being read."""
        op, _ = self._innermost_op()
        example = example_of_attribute(self._attributes_at[-1][1]) if self._attributes_at else op and example_of(op)
        return f"; write it as in `{example}`" if example else "; compare it with docs/dialects.md"

    def _innermost_attribute(self, error: ParseError) -> type[Attribute] | None:
        """The class of the type or attribute in which an error occurred, if any."""
        inside = [attribute for at, attribute in self._attributes_at if at <= error.span.start]
        return inside[-1] if inside else None

    def _parse_generic_operation(self, op_type: type[Operation]) -> Operation:
        op = super()._parse_generic_operation(op_type)
        if isinstance(op, BracedOp):
            op.settle()
        return op

    def _place(self, position: int) -> FileLineColLoc:
        line = bisect_right(self._starts, position)
        column = position - self._starts[line - 1] + 1
        return FileLineColLoc(self._file, _number(line + self._lines_above), _number(column))

    # Locations as MLIR prints them: xDSL reads no ranges, and no metadata of `fused`.

    def parse_optional_location(self) -> LocationAttr | None:
        location = super().parse_optional_location()
        if location is not None:
            self._after_location = self.pos
        return location

    def _parse_location(self) -> LocationAttr:
        if self._current_token.kind == MLIRTokenKind.BYTES_LIT:
            self.raise_error("a location must be UTF-8 text, but its bytes are not")
        if (name := self.parse_optional_str_literal()) is not None:
            return self._parse_named_location(name)
        if self.parse_optional_keyword("fused"):
            metadata = NoneAttr()
            if self.parse_optional_punctuation("<"):
                metadata = self.parse_attribute()
                self.parse_punctuation(">")
            parts = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
            return FusedLoc(tuple(parts), metadata)
        return super()._parse_location()

    def _parse_named_location(self, name: str) -> LocationAttr:
        """The location that follows a name: `:line:column`, `:line:column to line:column` (the end of the range is
        dropped), or `(location)`."""
        if self.parse_optional_punctuation(":") is None:
            inner = NoneAttr()
            if self.parse_optional_punctuation("("):
                inner = self._parse_location()
                self.parse_punctuation(")")
            return NameLoc(StringAttr(name), inner)
        line, column = self._parse_count(), 0
        if self.parse_optional_punctuation(":"):
            column = self._parse_count()
        if self.parse_optional_keyword("to"):
            self.parse_optional_integer(allow_boolean=False, allow_negative=False)
            self.parse_punctuation(":")
            self._parse_count()
        return FileLineColLoc(StringAttr(name), _number(line), _number(column))

    def _parse_count(self) -> int:
        return self.parse_integer(allow_boolean=False, allow_negative=False)

    # xDSL's messages about unclosed and missing bodies don't say what to write.

    def _parse_block(self) -> Block:
        token = self._current_token
        if token.kind == MLIRTokenKind.EOF:
            last = max(len(self.lexer.input.content.rstrip()) - 1, 0)
            self.raise_error("the text ends inside of a body; close it with `}`", last, last + 1)
        if token.kind != MLIRTokenKind.CARET_IDENT:
            self.raise_error(f"an op or `}}` is expected here, but `{token.text}` is met")
        return super()._parse_block()

    def parse_region(self, arguments: Iterable[Parser.Argument] | None = None) -> Region:
        region = self.parse_optional_region(arguments)
        if region is None:
            met = self._current_token.text
            self.raise_error("a body `{ … }` is expected here" + (f", but `{met}` is met" if met else ""))
        return region

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeInvT) -> SSAValue[AttributeInvT]:
        name = operand.operand_name
        if name not in self.ssa_values:
            self._first_use.setdefault(name, (operand.span, self.ssa_values))
        return super().resolve_operand(operand, type)

    def _raise_undefined(self, name: str) -> NoReturn:
        span, known = self._first_use[name]
        near = nearest(name, known)
        self.raise_error(f"%{name} is used but never defined" + (f"; did you mean %{near}?" if near else ""), span)

    # Unknown names.

    def _get_op_by_name(self, name: str) -> type[Operation]:
        if op := self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack):
            return op
        position = self._op_at[-1]
        self.raise_error(f"unknown op `{name}`{self._near_op(name)}", position, position + len(name))

    def _near_op(self, name: str) -> str:
        dialect, dot, rest = name.partition(".")
        names = list(self.ctx.registered_dialect_names)
        loaded = self.ctx.get_optional_dialect(dialect) if dot and dialect in names else None
        ours = [op.name for each in DIALECTS for op in self.ctx.get_dialect(each).operations]
        own = [op.name for op in loaded.operations] if loaded is not None else []
        found = meant(name, [*own, *(op for op in ours if op not in own)])
        near = nearest(dialect, names) if dot and dialect not in names else None
        if near is not None and not found:
            found = meant(f"{near}.{rest}", [op.name for op in self.ctx.get_dialect(near).operations]) or [near]
        problem = f"there is no dialect `{dialect}`" if dot and dialect not in names else ""
        if found:
            written = ", then ".join(f"`{op}`" for op in found)
            return f"; {problem}{', ' if problem else ''}did you mean {written}?"
        if problem:
            return f"; {problem}; ndp-opt --list-ops lists all ops"
        if dot:
            return f"; `{dialect}` has no such op" + (
                "; ndp-opt --list-ops lists all ops" if dialect in DIALECTS else ""
            )
        return "; an op is written DIALECT.NAME"

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: int | None
    ):
        find = self.ctx.get_optional_type if is_type else self.ctx.get_optional_attr
        if "." in attr_name and find(attr_name) is None:
            text = self.lexer.input.content
            word = attr_name if text.rfind(attr_name, 0, self.pos) >= 0 else attr_name.rpartition(".")[2]
            start = text.rfind(word, 0, self.pos)
            kind = "type" if is_type else "attribute"
            self.raise_error(f"unknown {kind} `{attr_name}`{self._near_attribute(attr_name)}", start, start + len(word))
        if (known := find(attr_name)) is not None:
            self._attributes_at.append((self.pos, known))
        start = self.pos
        found = super()._parse_dialect_type_or_attribute_body(attr_name, is_type, is_opaque, starting_opaque_pos)
        while self._attributes_at and self._attributes_at[-1][0] >= start:
            self._attributes_at.pop()
        return found

    def _near_attribute(self, name: str) -> str:
        loaded = self.ctx.get_optional_dialect(name.partition(".")[0])
        return hint(name, [each.name for each in loaded.attributes]) if loaded else ""

    # xDSL computes the range of an integer type as a number of that width; MLIR limits the width.

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        text = self._current_token.text
        if len(text) > 7 and (width := _INTEGER_TYPE.fullmatch(text)) and int(width[1][:9]) > MOST_BITS:
            self.raise_error(f"an integer type has at most {MOST_BITS} bits")
        return super()._parse_optional_integer_or_float_type()

    # xDSL 0.74 reads `dense<0xFF800000> : tensor<f32>` as the number 4286578688; MLIR reads it as bits, here -inf.

    @dataclass
    class _TensorLiteralElement(AttrParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
        def to_type(self, parser: AttrParser, type: AnyFloat | IntegerType | IndexType | ComplexType):
            if isinstance(type, AnyFloat) and self.span.text.lstrip("-")[:2] in ("0x", "0X"):
                return _float_of_bits(parser, self.span, type)
            return super().to_type(parser, type)

    # MLIR prints `#loc3 = loc("f":1:2)` below the module that uses it; xDSL requires it above.

    def _read_location_aliases(self, text: str) -> set[str]:
        found: set[str] = set()
        if "#loc" not in text:
            return found
        back = self.pos
        for match in _LOCATION_ALIAS.finditer(text):
            self._resume_from(match.start())
            name = self._current_token.text
            if name not in self.attribute_aliases:
                super()._parse_alias_def()
                found.add(name)
        self._resume_from(back)
        return found

    def _parse_alias_def(self) -> None:
        name = self._current_token.text
        if name in self._early_aliases:
            self._early_aliases.remove(name)
            del self.attribute_aliases[name]
        super()._parse_alias_def()


def _is_of_xdsl(error: Exception) -> bool:
    """True if an exception was raised in xDSL's own code, and not in one of ndpir's dialects."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__", "")).startswith("xdsl.")


def _float_of_bits(parser: AttrParser, span: Span, type_: AnyFloat) -> float:
    """The floating-point number with the bits of a hexadecimal literal."""
    size = type_.compile_time_size
    bits = int(span.text, 16)
    if not 0 <= bits < 1 << 8 * size:
        parser.raise_error(
            f"a hexadecimal {type_} must be the {8 * size} bits of the number (at most {2 * size} digits, no sign), "
            f"but is {span.text}",
            span,
        )
    return next(iter(type_.iter_unpack(bits.to_bytes(size, "little"))))

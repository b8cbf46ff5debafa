"""Verification of a program by xDSL's checks and our own, with each error at the location of its op."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, IRNode, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import VerifyException

from dialects.annotations import annotation_errors, annotations_without_entry
from dialects.diagnostics import InputError, WrongInside

MOST_ERRORS = 20


class InvalidProgram(Exception):
    """Raised for a program that does not verify; `errors`: the first `MOST_ERRORS` errors with locations."""

    def __init__(self, errors: list[InputError]) -> None:
        super().__init__(errors[0].message if errors else "the program does not verify")
        self.errors = errors


def verify(module: ModuleOp, ctx: Context) -> None:
    """Verify a program. Raises InvalidProgram if an op does not verify, a value is used before its definition, a symbol
    has an unknown visibility, the program names a device that its machine lacks, or an annotation is wrong."""
    check_devices(module, ctx)
    try:
        module.verify()
    except (VerifyException, ValueError, *LOOKUPS) as error:
        errors: list[InputError] = []
        _collect(module, errors)
        if any(_is_from_outside(each) for each in errors):
            errors = list(_used_too_early(module, set()))[:MOST_ERRORS] or errors
        raise InvalidProgram(errors or [InputError(sentence(str(error)), module)]) from error
    if wrong := [*_wrong_visibility(module), *_used_too_early(module, set()), *_wrong_annotations(module, ctx)]:
        raise InvalidProgram(wrong[:MOST_ERRORS])


def check_annotations(module: ModuleOp, ctx: Context) -> None:
    """Verify what a program in StableHLO can add to the ops that the importer makes. Raises InvalidProgram for a device
    that the program's machine lacks, and for wrong annotations."""
    check_devices(module, ctx)
    if wrong := list(_wrong_annotations(module, ctx)):
        raise InvalidProgram(wrong[:MOST_ERRORS])


def _wrong_annotations(module: ModuleOp, ctx: Context) -> Iterator[InputError]:
    yield from (InputError(wrong, op) for op in module.walk() for wrong in annotation_errors(op, ctx))
    yield from _annotations_of_called(module, ctx)


def _annotations_of_called(module: ModuleOp, ctx: Context) -> Iterator[InputError]:
    """Errors for annotations of private functions that are called."""
    wrong = {
        op.sym_name.data: (op, errors)
        for op in module.ops
        if isinstance(op, FuncOp) and op.sym_visibility is not None and op.sym_visibility.data == "private"
        if (errors := list(annotations_without_entry(op, ctx)))
    }
    called = {op.callee.string_value() for op in module.walk() if isinstance(op, CallOp)} if wrong else ()
    for name, (op, errors) in wrong.items():
        yield from (InputError(error, op) for error in errors if name in called)


def check_devices(module: ModuleOp, ctx: Context) -> None:
    """Raises InvalidProgram if a program with a machine names a device that the machine lacks. The errors of types that
    follow from the name are not reported."""
    if not any(op.name == "hw.device" for op in module.ops):
        return  # the machine is chosen later
    from dialects.task.naming import declared_devices, undeclared_devices

    known = declared_devices(module.ops)
    if wrong := [InputError(message, op) for op, message in undeclared_devices(module.walk(), ctx, known)]:
        raise InvalidProgram(wrong[:MOST_ERRORS])


def _is_from_outside(error: InputError) -> bool:
    """True for xDSL's error on a value from outside of a body, which does not name the value."""
    from dialects.verify_errors import FROM_OUTSIDE  # only errors need it

    return FROM_OUTSIDE in error.message


VISIBILITIES = ("public", "private", "nested")
"""The valid visibilities of symbols, as in MLIR."""


def _wrong_visibility(module: ModuleOp) -> Iterator[InputError]:
    """Errors for symbols with a visibility that a function's text can't express."""
    for op in module.body.block.ops:
        seen = op.get_attr_or_prop("sym_visibility")
        if isinstance(seen, StringAttr) and seen.data not in VISIBILITIES:
            expected = f"{', '.join(VISIBILITIES[:-1])} or {VISIBILITIES[-1]}"
            yield InputError(f"{op.name}: its visibility is `{seen.data}`, but must be {expected}", op)


LOOKUPS = (KeyError, AttributeError)
"""The exceptions that xDSL raises for an op that accesses its parent op, if the parent is of the wrong kind."""


def _collect(op: Operation, errors: list[InputError]) -> bool:
    """Verify an op and the ops in its body, and append errors to `errors`. Inner ops come first; an op is checked only
    if its body is valid. Returns True if all are valid."""
    is_valid = True
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                is_valid = _collect(inner, errors) and is_valid
    if is_valid and len(errors) < MOST_ERRORS:
        try:
            for trait in sorted(op.traits, key=lambda trait: type(trait).__name__):
                trait.verify(op)  # sorted, since xDSL keeps traits in a set, whose order differs from run to run
            op.verify(verify_nested_ops=False)
            for region in op.regions:
                for block in region.blocks:
                    if not block.ops:
                        block.verify()
        except WrongInside as error:
            errors.append(InputError(with_op_name(error.at, str(error)), error.at))
            is_valid = False
        except (VerifyException, ValueError) as error:
            errors.append(InputError(with_op_name(op, str(error)), _op_to_report(op, str(error))))
            is_valid = False
        except LOOKUPS as error:
            errors.append(
                InputError(
                    f"{op.name}: the op, or the op that contains it, needs {error}, which is missing; add it", op
                )
            )
            is_valid = False
    return is_valid


_REDEFINITION = re.compile(r'Redefinition of symbol "?(\w+)"?')


def _op_to_report(op: Operation, message: str) -> Operation:
    """The op at which to report an error: the failing op, or for a duplicate symbol its second definition."""
    if (redefined := _REDEFINITION.search(message)) is None:
        return op
    named = [
        inner for region in op.regions for block in region.blocks for inner in block.ops if _name(inner) == redefined[1]
    ]
    return named[1] if len(named) > 1 else op


def _name(op: Operation) -> str | None:
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def with_op_name(op: Operation, message: str) -> str:
    """A message of the verifier as one line, preceded by the op's name if the message does not contain it."""
    from dialects.verify_errors import reworded  # only errors need it

    text = reworded(sentence(message), op)
    return text if op.name in text else f"{op.name}: {text}"


def sentence(text: str) -> str:
    """A multi-line message of xDSL as a single line."""
    lines = [line.strip() for line in text.removeprefix("Operation does not verify: ").splitlines()]
    return " ".join(line for line in lines if line and set(line) != {"^"})


def _used_too_early(op: Operation, known: set[SSAValue]) -> Iterator[InputError]:
    """Errors for values used before their definition, which xDSL does not check. Within one block, definitions must
    precede uses; between the blocks of a region with branches, any order is accepted."""
    for region in op.regions:
        inner = set[SSAValue]() if op.has_trait(IsolatedFromAbove) else known
        new: list[SSAValue] = []
        blocks = list(region.blocks)
        for block in blocks:
            new += block.args
            if len(blocks) > 1:
                new += [result for each in block.ops for result in each.results]
        inner.update(new)
        for block in blocks:
            for each in block.ops:
                for index, operand in enumerate(each.operands):
                    if operand not in inner:
                        called = f"%{operand.name_hint}" if operand.name_hint else f"operand {index}"
                        yield InputError(f"{each.name}: {called} {_why(operand, each)}", each)
                if each.regions:
                    yield from _used_too_early(each, inner)
                inner.update(each.results)
                new += each.results
        if inner is known:
            known.difference_update(new)


def _why(value: SSAValue, user: Operation) -> str:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent_block()
    here: Operation | None = user
    while here is not None:
        if here.parent_block() is block:
            return "is used before the op that defines it; move that op up"
        here = here.parent_op()
    return "is defined in another body; pass it as an operand or argument"


@contextmanager
def errors_without_program() -> Generator[None]:
    """A context in which xDSL raises errors without the text of the program; the attribute `blamed` of an error is the
    op that it was raised for."""
    original = Diagnostic.raise_exception

    def bare(self: Diagnostic, ir: IRNode, underlying_error: Exception) -> NoReturn:
        if not hasattr(underlying_error, "blamed"):
            attributes: Any = underlying_error
            attributes.blamed = ir if isinstance(ir, Operation) else None
        raise underlying_error

    Diagnostic.raise_exception = bare
    try:
        yield
    finally:
        Diagnostic.raise_exception = original

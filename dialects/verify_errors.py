"""Messages of xDSL's verifier as sentences for authors of programs: what is wrong, and what to write."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

from dialects.task.types import OnType
from dialects.text.suggestions import hint
from dialects.values import called

FROM_OUTSIDE = "a value from outside is used in a body that can't see it; pass it as an operand"
"""The message on a value that a body uses though it is isolated from outside, which does not name the value."""
_KINDS: dict[str, str] = {
    "array": "an array ([1, 2])",
    "integer": "a whole number",
    "float": "a number",
    "string": 'a text in quotes ("…")',
    "symbol_ref": "a name (@main)",
    "dictionary": "entries in braces",
    "dense": "a dense array (dense<[1, 2]>)",
    "unit": "no value",
    "tensor": "a tensor (tensor<4xf32>)",
    "memref": "a memory (memref<4xf32>)",
    "task.on": "a placed tensor (!task.on<@gpu, tensor<4xf32>>)",
    "task.token": "a token (of task.join)",
}
"""Classes of types and attributes, by xDSL's names, as authors of programs know them."""


def _of_base(found: re.Match[str]) -> str:
    """The message on a value of a wrong class."""
    name = found[2].removeprefix("builtin.")
    return f"{_KINDS.get(name, f'a {name}')} is expected, not {found[1]}"


_Replacement: TypeAlias = "str | Callable[[re.Match[str]], str]"
_ROWS: tuple[tuple[str, _Replacement], ...] = (
    # Ops and their bodies.
    (r"'(\S+)' must be the last operation in its parent block", r"\1 ends its body; delete the ops after it"),
    (r"'(\S+)' expects parent op to be one of (.+)", r"\1 is allowed only in the body of one of \2"),
    (r"'(\S+)' expects parent op '(\S+)'", r"\1 is allowed only in the body of a \2"),
    (r"'(\S+)' expects ancestor op to be one of (.+)", r"\1 is allowed only inside of one of \2"),
    (r"'(\S+)' expects ancestor op '(\S+)'", r"\1 is allowed only inside of a \2"),
    (
        r"Operation (\S+) terminates block in (?:single|multi)-block region but is not a terminator",
        r"a body ends in a terminator (func.return, task.yield, …), not in \1; add one",
    ),
    (
        r"Operation (\S+) contains empty block in single-block region that expects at least a terminator",
        r"the body of \1 is empty; write its ops, and end it with a terminator (func.return, task.yield, …)",
    ),
    (
        r"'(\S+)' contains empty block instead of at least terminating with (\S+)",
        r"the body of \1 is empty; end it with \2",
    ),
    (
        r"'(\S+)' terminates with operation (\S+) instead of (\S+)",
        r"the body of \1 must end with \3, not with \2",
    ),
    (
        r"Operation (\S+) with block successors (?:does not belong to a block or a region|must terminate its parent "
        r"block)",
        r"\1 branches to other blocks, so it must be the last op of its block; move it there",
    ),
    (
        r"Operation (\S+) is branching to a block of a different region",
        r"\1 branches to a block of another body; name a block of its own body",
    ),
    (r"'(\S+)' does not contain single-block regions", r"the body of \1 must be one block; remove the others"),
    (
        r"Region '(\w+)(?:\[\d+\])?' at position \d+ expected a single block, but got (\d+) blocks",
        r"the body `\1` must be one block, but has \2; remove the others",
    ),
    (
        r"Region '(\w+)(?:\[\d+\])?' at position \d+ entry arguments do not verify: ",
        r"an argument of the body `\1` is wrong: ",
    ),
    (
        r"Operation using value defined out of its IsolatedFromAbove parent: .*",
        FROM_OUTSIDE,
    ),
    (r"Operations with a 'SymbolTable' must have exactly one (region|block)", r"the op must have exactly one \1"),
    (
        r'Redefinition of symbol "?(\w+)"?',
        r"there are two definitions of @\1; give one of the two another name",
    ),
    (r'Operation (\S+) must have a "sym_name" attribute .*', r"\1 has no name; write one (@main) behind the op"),
    (r"'(\S+)' requires at least one result or operand", r"\1 needs an operand or a result"),
    (
        r"'(\S+) requires the same (type|encoding) for all operands and results",
        r"all operands and results of \1 must have the same \2",
    ),
    (r"(\S+) is not a terminator", r"\1 must end its body, but is not a terminator; write another op"),
    (r"(\S+) does not have zero (results|successors)", r"\1 must have no \2; remove them"),
    # Entries of ops: properties and attributes, numbers of operands and results.
    (r"property '(\w+)' is not defined by the operation '(\S+)'\..*", r"\2 has no property `\1`; remove it"),
    (r"(property|attribute) '(\w+)' expected in operation '(\S+)'", r"\3 lacks the \1 `\2`; state it"),
    (
        r"Expected (\w+) (property|attribute) in (\S+) operation\.",
        r"\3 lacks the \2 `\1`, the number of values in each group of operands; state it, or use the op's own form",
    ),
    (
        r"(\w+) (?:property|attribute) is expected to be a DenseArrayBase of i32\.",
        r"`\1` must be an array of numbers (array<i32: 1, 0>)",
    ),
    (r"expected (\d+) values in (\w+), but got (\d+)", r"`\2` must have \1 numbers, not \3"),
    (r"'(\w+)' attribute cannot have negative elements", r"the numbers of `\1` must be at least 0"),
    (r"expected 0 or 1 values for (\w+), but got (\d+)", r"`\1` is one value or none, not \2 values"),
    (r"expected 1 value for (\w+), but got (\d+)", r"`\1` is one value, not \2 values"),
    (
        r"(operand|result|region|successor) count \((\d+)\) does not match with the total size \((\d+)\) specified "
        r"in attribute '(\w+)'",
        r"the op has \2 \1s, but the numbers of `\4` add up to \3; correct one of the two",
    ),
    (r"Expected at least (\d+ \w+), but got (\d+)", r"at least \1 are expected, not \2"),
    (
        r"Expected (\d+ or \d+|\d+) (operand|result|region|successor)s?, but got (\d+)",
        r"the op takes \1 \2s, not \3",
    ),
    (
        r"Operation has (\d+) (\w+) for (\d+) variadic (\w+)s marked as having the same size\.",
        r"\1 \2 can't be divided evenly among \3 groups; add or remove some",
    ),
    # Kinds of values.
    (
        r"(operand|result|successor|region) '(\w+)(?:\[\d+\])?' at position \d+ does not verify: ",
        r"the \1 `\2` is wrong: ",
    ),
    (r"parameter '(\w+)' does not verify: ", r"`\1` is wrong: "),
    (r"The following constraints were not satisfied: .*", "it is of another kind than the op takes"),
    (
        r"(\S.*?) should be of base attribute (\S+)",
        _of_base,
    ),
    (r"(\S.*?) should be of attribute subclassing `(\w+)`", r"\1 is of another kind than is expected (\2)"),
    (r"attributes? (.+) expected from (?:range )?variable '\w+', but got (.+)", r"\1 is expected, not \2"),
    (r"integer (.+) expected from int variable '\w+', but got (.+)", r"\1 is expected, not \2"),
    (r"Expected attribute (.+) but got (.+)", r"\1 is expected, not \2"),
    (r"Expected one of (.+), but got (.+)", r"one of \1 is expected, not \2"),
    (r"Unexpected attribute (.+)", r"\1 is of another kind than the op takes"),
    (r"(\d+) parameters expected, but got (\d+)", r"\1 parameters are expected, not \2"),
    (r"Underlying verification failure: ", ""),
    (r"Invalid value (\S+), expected one of \{(.+)\}", r"one of \2 is expected, not \1"),
    (r"Invalid value (\S+), expected (\S+)", r"\2 is expected, not \1"),
    (r"expected integer != (\S+)", r"a number other than \1 is expected"),
    (r"[Ee]xpected integer (>=|<=) (\S+), got (\S+)", r"a number \1 \2 is expected, not \3"),
    (r"Expected (.+) to be sized", r"\1 has no size"),
    (r"incorrect length for range variable: ", "their number is wrong: "),
    (r"Expected a single attribute, got (\d+)", r"one value is expected, not \1"),
    (
        r"Expected entry block arguments to have the same types as the function input types",
        "the arguments of the body must have the types that the function's type states; correct one of the two",
    ),
    # Types and attributes of xDSL itself.
    (r"expected ArrayAttr attribute, but got '(.+)'", r"an array ([1, 2]) is expected, not \1"),
    (r"(\S.*) should be a string", r'a text in quotes ("…") is expected, not \1'),
    (r"expected ArrayData attribute, but got (.+)", r"an array is expected, not \1"),
    (r"expected empty array, but got (.+)", r"no entries are expected, not \1"),
    (r"attribute (.+) expected to be an IntAttr", r"a number is expected, not \1"),
    (
        r"integer type bitwidth should be nonnegative \(got (-?\d+)\)",
        r"an integer type has at least 0 bits, not \1",
    ),
    (
        r"Integer value (\S+) is out of range for type (\S+) which supports values in the range \[(\S+), (\S+)\)",
        r"\1 does not fit into \2, whose numbers are from \3 to below \4",
    ),
    (r"(\S+) is not a location attribute", r"\1 is no location"),
    (
        r"Number of scalable dimension specifiers (\d+) must equal to number of dimensions (\d+)\.",
        r"a vector of \2 dimensions states for \1 whether they are scalable; state it for each",
    ),
    (r"(\S+) should be of type VectorType\.", r"a vector (vector<4xf32>) is expected, not \1"),
    (r"Expected vector rank to be (\d+), got (\d+)\.", r"a vector of rank \1 is expected, not \2"),
    (r"Expected vector type to be (\S+), got (\S+)\.", r"a vector of \1 is expected, not of \2"),
    (
        r"Data length of (\S+) \((\d+)\) not divisible by element size (\d+)",
        r"the \2 bytes of \1 are no whole number of elements of \3 bytes",
    ),
    (
        r"Unsupported empty shape in memref of type (\S+)",
        r"\1 has no shape, but a memory needs one (memref<4xf32>)",
    ),
    (
        r"A zero-rank (\S+) can only hold 1 value but (\d+) were given\.",
        r"a \1 without a shape holds one number, not \2",
    ),
)
_TABLE = tuple((re.compile(pattern), replacement) for pattern, replacement in _ROWS)
"""Patterns in messages of xDSL's verifier, and what is said in their place. They are applied one after another, since
messages contain each other."""


def reworded(message: str, op: Operation | None = None) -> str:
    """A message of xDSL's verifier, on one line, as a sentence with a way out; other messages are unchanged. `op`: the
    op that does not verify."""
    known = None if op is None else _OF_FUNCTIONS.get(type(op))
    if op is not None and known is not None and (found := known(op, message)) is not None:
        return found
    text = message
    for pattern, replacement in _TABLE:
        text = pattern.sub(replacement, text)
    return text


def _of_return(op: Operation, message: str) -> str | None:
    """The error of a `func.return` that does not return what its function declares."""
    function = op.parent_op()
    if not message.startswith("Expected arguments to have the same types") or not isinstance(function, FuncOp):
        return None
    name, declared = f"@{function.sym_name.data}", function.function_type.outputs.data
    if len(declared) != len(op.operands):
        results = f"{len(declared)} result{'' if len(declared) == 1 else 's'}"
        given = f"{len(op.operands)} {'is' if len(op.operands) == 1 else 'are'} returned"
        return f"{name} declares {results}, but {given}; correct one of the two"
    index = next(index for index, value in enumerate(op.operands) if value.type != declared[index])
    value, wanted = op.operands[index], declared[index]
    which = f"result {index} of {name}" if len(declared) > 1 else f"the result of {name}"
    way_out = "correct one of the two"
    if isinstance(value.type, OnType) and isinstance(wanted, OnType) and value.type.tensor == wanted.tensor:
        way_out = f"copy it there (task.copy {called(value)} to @{wanted.place}), or correct the function's type"
    return f"{which} is declared as {wanted}, but {called(value)} is a {value.type}; {way_out}"


def _of_call(op: Operation, message: str) -> str | None:
    """The error of a `func.call` whose function does not exist, or has another type."""
    assert isinstance(op, CallOp)
    name = op.callee.string_value()
    root: Operation = op
    while (parent := root.parent_op()) is not None:
        root = parent
    names = [each.sym_name.data for each in root.walk() if isinstance(each, FuncOp)]
    if "could not be found in symbol table" in message:
        advice = f"the program has {', '.join(f'@{each}' for each in names)}"
        return f"there is no function @{name}{hint(f'@{name}', [f'@{each}' for each in names], advice, mark='')}"
    if "does not reference a valid function" in message:
        return f"@{name} is no function; call one of {', '.join(f'@{each}' for each in names)}"
    function = SymbolTable.lookup_symbol(op, op.callee)
    if not isinstance(function, FuncOp):
        return None
    for word, states, wanted in (
        ("arguments", [each.type for each in op.arguments], function.function_type.inputs.data),
        ("results", list(op.result_types), function.function_type.outputs.data),
    ):
        if len(states) != len(wanted):
            return f"@{name} has {len(wanted)} {word}, not {len(states)}; correct the call"
        for index, (stated, type_) in enumerate(zip(states, wanted, strict=True)):
            if stated != type_:
                return (
                    f"{word.removesuffix('s')} {index} of @{name} is a {type_}, not a {stated}; correct one of the two"
                )
    return None


_OF_FUNCTIONS: dict[type[Operation], Callable[[Operation, str], str | None]] = {
    ReturnOp: _of_return,
    CallOp: _of_call,
}

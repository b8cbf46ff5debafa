"""Laws of attributes in braces after an op, for every op of ndpir: a property is set, a note is kept, any other entry
is an error."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import cast

import pytest
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp, StringAttr, f64, i1, i64
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from dialects.annotations import DECLARING
from dialects.braces import BracedOp, KnownAttributes
from dialects.pim import KernelOp
from dialects.programs.properties import Ints, values_of
from ndpir.diagnostics.verify import InvalidProgram, verify
from ndpir.registry.entries import examples
from tests.programs import context, parse
from tests.unit.dialects.test_graph_reference import OPS, completed

MARK = "test.mark"
CONTEXT = context()


def printed(module: ModuleOp, generic: bool = False) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


def instances(name: str) -> Iterator[tuple[ModuleOp, Operation]]:
    """The ops of this name in each of the op's examples, in its test program, and in one more program with other
    property values."""
    for example in examples(OPS[name]):
        module = parse(completed(example))
        found = {tuple(op.properties.values()): op for op in module.walk() if op.name == name}
        for op in list(found.values())[:2]:
            yield module, op


def marked(module: ModuleOp, op: Operation, entry: str, in_generic_form: bool = False) -> str:
    """The program's text with `entry` added to the attributes in braces of an op."""
    op.attributes[MARK] = IntegerAttr(1, i64)
    text = printed(module, in_generic_form)
    del op.attributes[MARK]
    assert text.count(f"{MARK} = 1 : i64") == 1, f"{op.name} does not print its braces"
    return text.replace(f"{MARK} = 1 : i64", entry)


def outcome(text: str) -> str:
    """The program as which a text is parsed, printed in the generic form with sorted properties; "refused" if the text
    is invalid."""
    try:
        module = parse(text)
        verify(module, CONTEXT)
    except (ParseError, VerifyException, InvalidProgram):
        return "refused"
    for op in module.walk():  # properties may be in any order
        op.properties = dict(sorted(op.properties.items()))
    return printed(module, generic=True)


def others(value: Attribute) -> Iterator[tuple[str, Attribute]]:
    """Pairs (text, value) of other values of a property than `value`; the text is as written behind the property's
    keyword."""
    match value:
        case IntegerAttr() if value.type == i1:
            yield str(not value.value.data).lower(), IntegerAttr(1 - value.value.data & 1, i1)
        case IntegerAttr():
            yield from ((str(number), IntegerAttr(number, i64)) for number in (0, value.value.data + 1))
        case DenseArrayBase():
            for each in ([1, 1], [number + 1 for number in values_of(cast(Ints, value))]):
                yield str(each), DenseArrayBase.from_list(i64, each)
        case StringAttr():
            yield '"bank"', StringAttr("bank")
            yield '"tanh"', StringAttr("tanh")
        case FloatAttr():
            yield "17", FloatAttr(17.0, f64)
            yield "0.5", FloatAttr(0.5, f64)
        case _:
            return


@pytest.mark.parametrize("name", OPS)
def test_every_op_refuses_unknown_entries(name: str) -> None:
    op = OPS[name]
    assert issubclass(op, BracedOp)
    assert op.has_trait(KnownAttributes)
    for module, op in instances(name):
        for entry, form in (("bogus", False), ('"bogus" = [2, 2]', False), ("bogus = 1", True)):
            with pytest.raises((ParseError, VerifyException), match=f"{name} has no attribute `bogus`"):
                parse(marked(module, op, entry, form))
        op.attributes["bogus"] = IntegerAttr(1, i64)  # however the op was made
        with pytest.raises(InvalidProgram, match=f"{name} has no attribute `bogus`") as error:
            verify(module, CONTEXT)
        assert error.value.errors[0].place is not None
        del op.attributes["bogus"]
        op.properties["bogus"] = IntegerAttr(1, i64)
        with pytest.raises(InvalidProgram, match=f"{name} has no attribute `bogus`"):
            verify(module, CONTEXT)
        del op.properties["bogus"]


@pytest.mark.parametrize("name", OPS)
def test_every_op_refuses_unknown_annotations(name: str) -> None:
    for module, op in instances(name):
        for dialect in DECLARING:
            op.attributes[f"{dialect}.bogus"] = IntegerAttr(1, i64)
            with pytest.raises(InvalidProgram, match=rf"{name}: there is no attribute `{dialect}\.bogus`") as error:
                verify(module, CONTEXT)
            assert error.value.errors[0].place is not None
            del op.attributes[f"{dialect}.bogus"]
        verify(module, CONTEXT)


@pytest.mark.parametrize("name", OPS)
def test_a_note_with_a_prefix_is_kept(name: str) -> None:
    for module, op in instances(name):
        op.attributes["test.note"] = StringAttr("kept")
        for form in (False, True):
            text = printed(module, form)
            again = parse(text)
            assert printed(again, form) == text
            assert any(each.attributes.get("test.note") == StringAttr("kept") for each in again.walk())


@pytest.mark.parametrize("name", OPS)
def test_a_property_in_braces_means_the_same_in_both_forms(name: str) -> None:
    for module, op in instances(name):
        place = list(module.walk()).index(op)
        for word, value in list(op.properties.items()):
            try:
                parse(marked(module, op, f"{word} = {value}"))
            except ParseError as error:
                if f"`{word}` is given twice" not in str(error):
                    raise
                continue
            for text, other in others(value):
                own = marked(module, op, f"{word} = {text}")
                read = outcome(own)
                if read == "refused":
                    assert outcome(generic(module, op, word, text)) == "refused"
                    continue
                again = parse(own)  # its result types are those that this value implies
                set_op = list(again.walk())[place]
                assert set_op.properties[word] == other
                assert outcome(generic(again, set_op, word, text)) == read


def generic(module: ModuleOp, op: Operation, word: str, text: str) -> str:
    """The program's generic form, with the property `word` of an op written as `text` in braces."""
    value = op.properties.pop(word)
    try:
        return marked(module, op, f"{word} = {text}", in_generic_form=True)
    finally:
        op.properties[word] = value


@pytest.mark.parametrize("name", OPS)
def test_a_property_given_twice_is_refused(name: str) -> None:
    for module, op in instances(name):
        for word, value in op.properties.items():
            with pytest.raises((ParseError, VerifyException), match=f"`{word}` is given twice"):
                parse(marked(module, op, f"{word} = {value}", in_generic_form=True))


def test_declared_attributes_are_of_their_type() -> None:
    """`{host = false}` was once read as `{host}`, since only the attribute's presence was tested."""
    for module, op in instances("pim.write"):
        with pytest.raises(ParseError, match=r"pim.write: `host`"):
            parse(marked(module, op, "host = false"))
        with pytest.raises((ParseError, VerifyException)):
            parse(marked(module, op, "host = false", in_generic_form=True))
        again = parse(marked(module, op, "host"))
        kernel = next(each for each in again.walk() if isinstance(each, KernelOp))
        assert any("host" in each.attributes for each in kernel.walk())

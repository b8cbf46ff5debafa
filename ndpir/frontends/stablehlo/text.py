"""Reads StableHLO text (grammar: stablehlo.lark) into records: pretty forms become what the generic form says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import cast

from lark import Token, Tree
from lark.exceptions import UnexpectedInput

from dialects.diagnostics import InputError
from dialects.grammars import grammar
from ndpir.frontends.stablehlo.module import (
    DenseLiteral,
    HloAttribute,
    HloBlock,
    HloFunction,
    HloOp,
    HloType,
    HloValue,
    TensorShape,
    TypeText,
)
from ndpir.frontends.stablehlo.pretty import PRETTY, PrintedOp

ValuesByName = dict[str, HloValue]
"""Values by name, those of an op with several results as `%name#0`."""


def read_functions(text: str, file: str) -> list[HloFunction]:
    """The functions of a program. Raises InputError with file, line and column."""
    try:
        tree = grammar(__file__, "stablehlo", "attribute", "start").parse(text, "start")  # pyright: ignore[reportUnknownMemberType]
    except UnexpectedInput as error:
        raise InputError(_complaint(text, error), _place_of(text, file, error)) from None
    reader = _Reader(text, file)
    return [function for node in trees(tree) for function in reader.functions(node)]


def attribute_of(text: str) -> HloAttribute:
    """An attribute as MLIR prints it. Raises InputError for text that is none."""
    try:
        tree = grammar(__file__, "stablehlo", "attribute", "start").parse(text, "attribute")  # pyright: ignore[reportUnknownMemberType]
    except UnexpectedInput as error:
        raise InputError(_complaint(text, error)) from None
    return _Reader(text, "").value(tree)


def _place_of(text: str, file: str, error: UnexpectedInput) -> str:
    if error.line < 1:  # at the end of the text
        return f"{file}:{text.count(chr(10)) + 1}:{len(text) - text.rfind(chr(10))}"
    return f"{file}:{error.line}:{error.column}"


def _complaint(text: str, error: UnexpectedInput) -> str:
    at = error.pos_in_stream
    token = getattr(error, "token", None)
    ended = at is None or at < 0 or getattr(token, "type", "") == "$END"
    rest = "" if ended or at is None else text[at:].split("\n", 1)[0].strip()
    shown = rest if rest.isprintable() else ascii(rest)[1:-1]
    met = f"`{shown[:40]}{'…' if len(shown) > 40 else ''}`" if rest else "the end of the text"
    return f"{met} is no StableHLO here; write programs as jax.jit(f).lower(…).as_text() prints them"


def trees(node: Tree[Token], *kinds: str) -> list[Tree[Token]]:
    """The parts of a node, of these kinds if any are named."""
    return [child for child in node.children if isinstance(child, Tree) and (not kinds or child.data in kinds)]


def part(node: Tree[Token], kind: str) -> Tree[Token] | None:
    """The first part of this kind."""
    return next(iter(trees(node, kind)), None)


def tokens(node: Tree[Token], *kinds: str) -> list[Token]:
    """The words of a node, of these kinds if any are named."""
    return [child for child in node.children if isinstance(child, Token) and (not kinds or child.type in kinds)]


class _Reader:
    """Turns the tree of one text into functions."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file

    def place(self, at: Token) -> str:
        return f"{self.file}:{at.line}:{at.column}"

    def functions(self, node: Tree[Token]) -> Iterator[HloFunction]:
        """Those of a module or of one function, in either form."""
        if node.data == "bare_function":
            head = tokens(node)[0]
            if head.type == "FUNC":
                yield self.function(node)
            for inner in trees(cast("Tree[Token]", part(node, "top"))) if head.type == "MODULE" else ():
                yield from self.functions(inner)
            return
        name, at = _name_of(node)
        regions = [region for paren in trees(node, "paren") for region in trees(paren, "region")]
        if name == "builtin.module":
            for region in regions:
                for inner in trees(region, "typed", "bare"):
                    yield from self.functions(inner)
        elif name == "func.func" and regions:
            said = self.attributes_of(node)
            lists = (cast("list[dict[str, HloAttribute]]", said.get(key, [])) for key in ("arg_attrs", "res_attrs"))
            head = part(regions[0], "head")
            arguments = [each for args in trees(head, "block_args") for each in trees(args)] if head else []
            own, made = lists
            given = [{**(own[i] if i < len(own) else {}), **self.naming(each)} for i, each in enumerate(arguments)]
            yield HloFunction(str(said.get("sym_name", "")), self.block(regions[0], {}), self.place(at), given, made)
        else:
            raise InputError(
                f"`{name}` stands outside of a function; a program is a module of functions", self.place(at)
            )

    def function(self, node: Tree[Token]) -> HloFunction:
        symbol, region = tokens(node, "SYMBOL")[0], part(node, "region")
        assert region is not None
        scope: ValuesByName = {}
        arguments = trees(node, "argument")
        values = [self.argument(argument, scope) for argument in arguments]
        body = self.block(region, scope)
        body.arguments[:0] = values
        outputs = [output for each in trees(node, "outputs") for output in trees(each, "output")]
        given = [self.dictionary(part(each, "dict")) | self.naming(each) for each in arguments]
        made = [self.dictionary(part(each, "dict")) for each in outputs]
        place = self.place(tokens(node)[0])
        return HloFunction(str(symbol)[1:].strip('"'), body, place, given, made if any(made) else [])

    def naming(self, argument: Tree[Token]) -> dict[str, HloAttribute]:
        """The name that JAX gives to an argument, `params['w']`: `jax.arg_info`, or a location that is a name."""
        found = _LOCATED.match(self.text, cast(int, tokens(argument)[1].end_pos))
        if found is None:
            return {}
        name = found[1] if found[1] is not None else self.named_locations.get(found[2])
        return {} if name is None else {"jax.arg_info": name}

    @cached_property
    def named_locations(self) -> dict[str, str]:
        """`#loc3 = loc("params['w']")`; a place in a file is no name."""
        return dict(_LOCATION_NAME.findall(self.text))

    def block(self, region: Tree[Token], scope: ValuesByName, arguments: Sequence[HloValue] = ()) -> HloBlock:
        """A region's block. `scope`: what is known above it, its own arguments among them if they stand there."""
        inner = dict(scope)
        head = part(region, "head")
        own = [self.argument(each, inner) for args in trees(head, "block_args") for each in trees(args)] if head else []
        return HloBlock([*arguments, *own], [self.op(each, inner) for each in trees(region, "typed", "bare")])

    def argument(self, node: Tree[Token], scope: ValuesByName) -> HloValue:
        name, type_ = tokens(node)
        return self.defined(str(name), type_of(str(type_)), scope)

    def defined(self, name: str, type_: HloType, scope: ValuesByName) -> HloValue:
        scope[name] = value = HloValue(name, type_)
        return value

    def used(self, name: Token, scope: ValuesByName) -> HloValue:
        value = scope.get(name) or scope.get(f"{name}#0")
        if value is None:
            raise InputError(f"{name} is not defined above; a value is written before it is used", self.place(name))
        return value

    def op(self, node: Tree[Token], scope: ValuesByName) -> HloOp:
        name, at = _name_of(node)
        items = node.children[node.children.index(trees(node, "name")[0]) + 1 :]
        written = PrintedOp(name.removeprefix("stablehlo.").removeprefix("func."), self.place(at))
        for item in items:
            self.item(item, written, scope)
        signature = part(node, "signature")
        given, made = _types_in(signature) if signature is not None else ((), ())
        names = self.names(node)
        written.types = given, (given if len(names) == len(given) else given[-1:]) if made is None else made
        self.trailing(node, written, scope)
        shorthand = PRETTY.get(written.name)
        if shorthand is not None and at.type != "STRING":
            try:
                shorthand(written)
            except (LookupError, TypeError, ValueError, AttributeError):
                what = f"{name} is written short here, but not as JAX prints it; its generic form says all by name"
                raise InputError(what, written.place) from None
        if names and len(written.types[1]) != len(names):
            raise InputError(
                f"{name} is given {len(names)} names for {len(written.types[1])} results; name each of them",
                self.place(at),
            )
        results = [self.defined(each, type_, scope) for each, type_ in zip(names, written.types[1], strict=False)]
        return HloOp(written.name, written.operands, results, written.attributes, written.regions, written.place)

    def item(self, item: Token | Tree[Token] | None, written: PrintedOp, scope: ValuesByName) -> None:
        """Note one thing that stands between an op's name and its types."""
        match item:
            case Token(type="VALUE"):
                written.operands.append(self.used(item, scope))
            case Token(type="SYMBOL"):
                written.symbols.append(str(item)[1:].strip('"'))
            case Token(type="STRING"):
                written.attributes["name"] = str(item)[1:-1]  # of a composite
            case Token(type="DENSE"):
                written.dense = _dense(item)
            case Token():
                written.words.append(str(item))
            case Tree(data="list"):
                written.lists.append(self.value(item))
            case Tree(data="pair"):
                key, value = item.children
                written.attributes[str(key)] = self.value(value)
                written.words.append(f"{key}=")
            case Tree(data="dict"):
                written.attributes |= self.dictionary(item)
            case Tree(data="angle" | "paren"):
                for child in item.children:
                    self.item(child, written, scope)
            case Tree(data="bound"):
                inner, outer = tokens(item)
                written.inner.append(str(inner))
                written.operands.append(self.used(outer, scope))
            case Tree(data="fold"):
                operand, start = tokens(item)
                written.operands.append(self.used(operand, scope))
                written.starts.append(self.used(start, scope))
            case Tree(data="region"):
                written.regions.append(self.block(item, scope))
            case _:
                pass

    def trailing(self, node: Tree[Token], written: PrintedOp, scope: ValuesByName) -> None:
        """The regions that stand behind an op's types: of a loop, whose names stand for what it carries, and of a
        reduction."""
        for tail in trees(node, "trailing"):
            region = trees(tail, "region")[0]
            inner = dict(scope)
            if tokens(tail)[0].type == "REDUCER":
                columns = [[self.argument(each, inner) for each in trees(args)] for args in trees(tail, "block_args")]
                if any(len(column) != 2 for column in columns):
                    raise InputError("a reducer takes two values of each operand, (%a: …, %b: …)", written.place)
                arguments = [*(column[0] for column in columns), *(column[1] for column in columns)]
            else:
                types = written.types[0]
                if len(types) != len(written.inner):
                    raise InputError(
                        f"a loop that carries {len(written.inner)} values has {len(types)} types; write one of each",
                        written.place,
                    )
                arguments = [HloValue(name, type_) for name, type_ in zip(written.inner, types, strict=True)]
                inner |= {value.name: value for value in arguments}
            written.regions.append(self.block(region, inner, arguments))

    def names(self, node: Tree[Token]) -> list[str]:
        """The names that an op gives to its results."""
        head, names = part(node, "results"), list[str]()
        for each in trees(head, "result") if head is not None else ():
            name, *count = tokens(each)
            names += [f"{name}#{index}" for index in range(int(count[0]))] if count else [str(name)]
        return names

    # Attributes.

    def attributes_of(self, node: Tree[Token]) -> dict[str, HloAttribute]:
        written = PrintedOp("", "")
        for angle in trees(node, "angle", "dict"):
            self.item(angle, written, {})
        return written.attributes

    def dictionary(self, node: Tree[Token] | None) -> dict[str, HloAttribute]:
        found: dict[str, HloAttribute] = {}
        for pair in trees(node, "pair_in") if node is not None else ():
            key, *value = pair.children
            name = str(key).strip('"')
            found[name] = listed(name, self.value(value[0])) if value else True
        return found

    def value(self, node: Tree[Token] | Token) -> HloAttribute:
        match node:
            case Token(type="SYMBOL"):
                return str(node)[1:].strip('"')
            case Token():
                return _scalar(node)
            case Tree(data="attribute"):
                inner, *type_ = node.children
                if isinstance(inner, Token) and inner.type == "DENSE":
                    return replace(_dense(inner), type=type_of(str(type_[0])) if type_ else None)
                return self.value(inner)
            case Tree(data="list"):
                return [self.value(each) for each in node.children]
            case Tree(data="range"):
                return [int(str(each)) for each in tokens(node)]
            case Tree(data="dict" | "angle"):
                return self.dictionary(node if node.data == "dict" or trees(node, "pair_in") else trees(node)[0])
            case _:
                return ""


def listed(key: str, found: HloAttribute) -> HloAttribute:
    """An attribute's value: the numbers of a dense literal (`dense<1> : tensor<2x2xi64>`) as lists, but for those of a
    constant."""
    if key == "value" or not isinstance(found, DenseLiteral) or not isinstance(found.type, TensorShape):
        return found
    try:
        numbers: object = json.loads(found.text)
    except ValueError:  # text that is no list of integers or truth values
        return found
    if not isinstance(numbers, list):
        for extent in reversed(found.type.shape):
            numbers = [numbers for _ in range(extent or 0)]
    return cast(HloAttribute, numbers)


def _name_of(node: Tree[Token]) -> tuple[str, Token]:
    """An op's name as it is written, and where."""
    found = part(node, "name")
    assert found is not None
    token = tokens(found)[0]
    return str(token).strip('"'), token


def _types_in(signature: Tree[Token]) -> tuple[tuple[HloType, ...], tuple[HloType, ...] | None]:
    """The types of operands and of results; None for the latter where they are not apart."""
    given, *made = (tuple(type_of(str(each)) for each in tokens(types)) for types in trees(signature, "types"))
    return given, made[0] if made else None


_LOCATED = re.compile(
    r'\s*(?:\{(?:[^{}"]|"[^"]*"|\{[^{}]*\})*\}\s*)?loc\((?:"([^"\\]*)"(?=[()])|(#\w+))'  # {attributes} loc(…)
)
_LOCATION_NAME = re.compile(r'^(#\w+) = loc\("([^"\\]*)"[()]', re.MULTILINE)
_TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)([a-z]\w*)>")


@cache
def type_of(text: str) -> HloType:
    """A type as it is written; scalar types stand for themselves."""
    found = _TENSOR.fullmatch(text)
    if found is None:
        return TypeText(text)
    extents = tuple(None if each == "?" else int(each) for each in found[1].split("x")[:-1])
    return TensorShape(extents, found[2])


def _dense(token: Token) -> DenseLiteral:
    return DenseLiteral(token[6:-1] if token.startswith("dense<") else str(token), at=token.start_pos)


_ENUM = re.compile(r"#\w+<\w+ (\w+)>")
_LIST = re.compile(r"\[[^\]]*\]")
_GROUP = re.compile(r"(\w+) = (\[[^\]]*\]|\w+)")


def _scalar(token: Token) -> HloAttribute:
    text = str(token)
    match token.type:
        case "INT":
            return int(text)
        case "HEX":
            return int(text, 16)
        case "FLOAT":
            return float(text)
        case "STRING":
            return text[1:-1]
        case "SYMBOL":
            return text[1:].strip('"')
        case "ARRAY":  # array<i64: 1, 2>
            return [_number(each) for each in text[6:-1].partition(":")[2].replace(",", " ").split()]
        case "DENSE":
            return _dense(token)
        case "OPAQUE":  # #stablehlo.gather<offset_dims = [2], index_vector_dim = 2>
            if (
                len(lists := _LIST.findall(text)) == 3 and "]x[" in text
            ):  # #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>
                return dict(zip(("input", "kernel", "output"), map(_field, lists), strict=True))
            if (word := _ENUM.fullmatch(text)) is not None:  # #stablehlo<comparison_direction LT>
                return word[1]
            fields = {key: _field(value) for key, value in _GROUP.findall(text)}
            return fields if fields or text.endswith("<>") else text[1:]  # #stablehlo.dot<>: all of its lists are empty
        case _:
            return {"true": True, "false": False}.get(text, text)


def _field(text: str) -> HloAttribute:
    if text.startswith("["):
        return [_number(each) for each in text[1:-1].replace(",", " ").split()]
    return _number(text)


def _number(text: str) -> bool | int | float | str:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text

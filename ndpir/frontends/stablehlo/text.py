"""Parser of StableHLO text into records (grammar: stablehlo.lark); pretty forms are converted to the generic form."""

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
from dialects.text.printable import cut
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
    TensorShape,
    TypeText,
)
from ndpir.frontends.stablehlo.pretty import PRETTY, PrintedOp

ValuesByName = dict[str, HloValue]
"""Values by name; the results of an op with several results are named `%name#0`, `%name#1`, …."""


def read_functions(text: str, file: str) -> list[HloFunction]:
    """The functions of a program. Raises InputError with file, line and column for invalid text."""
    try:
        tree = grammar(__file__, "stablehlo", "attribute", "start").parse(text, "start")  # pyright: ignore[reportUnknownMemberType]
    except UnexpectedInput as error:
        raise InputError(_complaint(text, error), _place_of(text, file, error)) from None
    reader = _Reader(text, file)
    return [function for node in trees(tree) for function in reader.functions(node, ())]


def attribute_of(text: str) -> HloAttribute:
    """An attribute, parsed from the text that MLIR prints. Raises InputError for invalid text."""
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
    met = f"`{cut(shown, 40, 40)}`" if rest else "the end of the text"
    return f"{met} can't be read as StableHLO here; write the program as jax.jit(f).lower(…).as_text() prints it"


def trees(node: Tree[Token], *kinds: str) -> list[Tree[Token]]:
    """The child nodes of a node; with `kinds`, only those of these types."""
    return [child for child in node.children if isinstance(child, Tree) and (not kinds or child.data in kinds)]


def part(node: Tree[Token], kind: str) -> Tree[Token] | None:
    """The first child node of the given type; None if the node has no such child."""
    return next(iter(trees(node, kind)), None)


def tokens(node: Tree[Token], *kinds: str) -> list[Token]:
    """The tokens of a node; with `kinds`, only those of these types."""
    return [child for child in node.children if isinstance(child, Token) and (not kinds or child.type in kinds)]


class _Reader:
    """Converts the syntax tree of one text to records of functions."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file

    def place(self, at: Token) -> str:
        return f"{self.file}:{at.line}:{at.column}"

    def functions(self, node: Tree[Token], around: Sequence[HloModule]) -> Iterator[HloFunction]:
        """The functions of a module or of a single function, in pretty or generic form. `around`: the modules around
        it."""
        if node.data == "bare_function":
            head = tokens(node)[0]
            if head.type == "FUNC":
                yield self.function(node, around)
                return
            own = HloModule(self.dictionary(part(node, "dict")), self.place(head))
            for inner in trees(cast("Tree[Token]", part(node, "top"))):
                yield from self.functions(inner, (*around, own))
            return
        name, at = _name_of(node)
        regions = [region for paren in trees(node, "paren") for region in trees(paren, "region")]
        if name == "builtin.module":
            own = HloModule(self.attributes_of(node), self.place(at))
            for region in regions:
                for inner in trees(region, "typed", "bare"):
                    yield from self.functions(inner, (*around, own))
        elif name == "func.func" and regions:
            attributes = self.attributes_of(node)
            lists = (
                cast("list[dict[str, HloAttribute]]", attributes.get(key, [])) for key in ("arg_attrs", "res_attrs")
            )
            head = part(regions[0], "head")
            arguments = [each for args in trees(head, "block_args") for each in trees(args)] if head else []
            own_arguments, result_attributes = lists
            argument_attributes = [
                {**(own_arguments[i] if i < len(own_arguments) else {}), **self.naming(each)}
                for i, each in enumerate(arguments)
            ]
            yield HloFunction(
                str(attributes.get("sym_name", "")),
                self.block(regions[0], {}),
                self.place(at),
                argument_attributes,
                result_attributes,
                attributes,
                around,
            )
        else:
            raise InputError(
                f"`{name}` is outside of a function, but a program is a module of functions; put the op "
                "into a function",
                self.place(at),
            )

    def function(self, node: Tree[Token], around: Sequence[HloModule]) -> HloFunction:
        symbol, region = tokens(node, "SYMBOL")[0], part(node, "region")
        assert region is not None
        scope: ValuesByName = {}
        arguments = trees(node, "argument")
        values = [self.argument(argument, scope) for argument in arguments]
        body = self.block(region, scope)
        body.arguments[:0] = values
        outputs = [output for each in trees(node, "outputs") for output in trees(each, "output")]
        argument_attributes = [self.dictionary(part(each, "dict")) | self.naming(each) for each in arguments]
        result_attributes = [self.dictionary(part(each, "dict")) for each in outputs]
        place = self.place(tokens(node)[0])
        return HloFunction(
            str(symbol)[1:].strip('"'),
            body,
            place,
            argument_attributes,
            result_attributes if any(result_attributes) else [],
            self.dictionary(part(node, "dict")),
            around,
        )

    def naming(self, argument: Tree[Token]) -> dict[str, HloAttribute]:
        """The attribute `jax.arg_info` with JAX's name of an argument, such as `params['w']`, from a location that is a
        name; empty if the location is a position in a file."""
        found = _LOCATED.match(self.text, cast(int, tokens(argument)[1].end_pos))
        if found is None:
            return {}
        name = found[1] if found[1] is not None else self.named_locations.get(found[2])
        return {} if name is None else {"jax.arg_info": name}

    @cached_property
    def named_locations(self) -> dict[str, str]:
        """Names by location alias, as in `#loc3 = loc("params['w']")`; aliases of positions in files are omitted."""
        return dict(_LOCATION_NAME.findall(self.text))

    def block(self, region: Tree[Token], scope: ValuesByName, arguments: Sequence[HloValue] = ()) -> HloBlock:
        """The block of a region. `scope`: values defined outside, to which the block's own values are not added.
        `arguments`: block arguments that are written outside of the region."""
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
            raise InputError(f"{name} is not defined above; define it before this op", self.place(name))
        return value

    def op(self, node: Tree[Token], scope: ValuesByName) -> HloOp:
        name, at = _name_of(node)
        items = node.children[node.children.index(trees(node, "name")[0]) + 1 :]
        written = PrintedOp(name.removeprefix("stablehlo.").removeprefix("func."), self.place(at))
        for item in items:
            self.item(item, written, scope)
        signature = part(node, "signature")
        operand_types, result_types = _types_in(signature) if signature is not None else ((), ())
        names = self.names(node)
        written.types = (
            operand_types,
            (operand_types if len(names) == len(operand_types) else operand_types[-1:])
            if result_types is None
            else result_types,
        )
        self.trailing(node, written, scope)
        shorthand = PRETTY.get(written.name)
        if shorthand is not None and at.type != "STRING":
            try:
                shorthand(written)
            except (LookupError, TypeError, ValueError, AttributeError):
                what = (
                    f"{name} has a short form that can't be read; write it as JAX prints it, or in the generic "
                    "form, with all attributes by name"
                )
                raise InputError(what, written.place) from None
        if names and len(written.types[1]) != len(names):
            raise InputError(
                f"{name} has {len(written.types[1])} results, but {len(names)} names are written before `=`; write "
                "one name for each result",
                self.place(at),
            )
        results = [self.defined(each, type_, scope) for each, type_ in zip(names, written.types[1], strict=False)]
        return HloOp(written.name, written.operands, results, written.attributes, written.regions, written.place)

    def item(self, item: Token | Tree[Token] | None, written: PrintedOp, scope: ValuesByName) -> None:
        """Record one of the parts of an op's text between its name and its types."""
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
        """Record the regions after an op's types: those of a loop, whose block arguments have the names of the carried
        values, and the region of a reduction."""
        for tail in trees(node, "trailing"):
            region = trees(tail, "region")[0]
            inner = dict(scope)
            if tokens(tail)[0].type == "REDUCER":
                columns = [[self.argument(each, inner) for each in trees(args)] for args in trees(tail, "block_args")]
                if any(len(column) != 2 for column in columns):
                    raise InputError(
                        "a reducer takes two arguments for each operand; write each pair as (%a: …, %b: …)",
                        written.place,
                    )
                arguments = [*(column[0] for column in columns), *(column[1] for column in columns)]
            else:
                types = written.types[0]
                if len(types) != len(written.inner):
                    raise InputError(
                        f"a loop carries {len(written.inner)} values, but has {len(types)} types; write one type "
                        "for each value",
                        written.place,
                    )
                arguments = [HloValue(name, type_) for name, type_ in zip(written.inner, types, strict=True)]
                inner |= {value.name: value for value in arguments}
            written.regions.append(self.block(region, inner, arguments))

    def names(self, node: Tree[Token]) -> list[str]:
        """The names of an op's results, from the text before `=`."""
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
            if AttributeText.is_of(name):
                found[name] = AttributeText(_text_of(value[0]) if value else "unit")
            else:
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


def _text_of(node: Tree[Token] | Token) -> str:
    """An attribute's text, as MLIR prints it."""
    if isinstance(node, Token):
        return str(node)
    parts = [_text_of(each) for each in node.children]
    match node.data:
        case "attribute":
            return " : ".join(parts)
        case "pair_in":
            return " = ".join(parts)
        case "list":
            return f"[{', '.join(parts)}]"
        case "dict":
            return f"{{{', '.join(parts)}}}"
        case _:
            return f"<{', '.join(parts)}>"


def listed(key: str, found: HloAttribute) -> HloAttribute:
    """An attribute's value, with dense literals (`dense<1> : tensor<2x2xi64>`) converted to nested lists. The literal
    of a constant op is not converted."""
    if key == "value" or not isinstance(found, DenseLiteral) or not isinstance(found.type, TensorShape):
        return found
    try:
        numbers: object = json.loads(found.text)
    except ValueError:  # the literal is not a list of integers or truth values
        return found
    if not isinstance(numbers, list):
        for extent in reversed(found.type.shape):
            numbers = [numbers for _ in range(extent or 0)]
    return cast(HloAttribute, numbers)


def _name_of(node: Tree[Token]) -> tuple[str, Token]:
    """An op's name as written, and its token, which states its position in the text."""
    found = part(node, "name")
    assert found is not None
    token = tokens(found)[0]
    return str(token).strip('"'), token


def _types_in(signature: Tree[Token]) -> tuple[tuple[HloType, ...], tuple[HloType, ...] | None]:
    """The types of operands and of results; None for the results if the signature lists one type for operands and
    results together."""
    operand_types, *result_types = (
        tuple(type_of(str(each)) for each in tokens(types)) for types in trees(signature, "types")
    )
    return operand_types, result_types[0] if result_types else None


_LOCATED = re.compile(
    r'\s*(?:\{(?:[^{}"]|"[^"]*"|\{[^{}]*\})*\}\s*)?loc\((?:"([^"\\]*)"(?=[()])|(#\w+))'  # {attributes} loc(…)
)
_LOCATION_NAME = re.compile(r'^(#\w+) = loc\("([^"\\]*)"[()]', re.MULTILINE)
_TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)([a-z]\w*)>")


@cache
def type_of(text: str) -> HloType:
    """A type from its text; a scalar type such as `f32` is kept as text."""
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
            return fields if fields or text.endswith("<>") else text[1:]  # #stablehlo.dot<> has only empty lists
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

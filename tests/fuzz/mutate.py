"""Mutations that depend on the form of the data: tokens of text, nodes of JSON, fields of protobuf messages, or bytes.

All random choices use a `Random`, so that a seed and a case number always give the same case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any, cast

TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[%@#!^]?[\w$.-]+|->|\s+|.', re.DOTALL)
NUMBERS = (
    "0", "1", "-1", "2", "3", "5", "7", "8", "16", "63", "64", "65", "127", "128", "255", "65536", "2147483647",
    "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "99999999999999999999", "1" + "0" * 40, "9" * 400, "0x7F", "0xFFFFFFFFFFFFFFFF", "1.0e400", "1e400", "-0.0",
    "0.1", "1.0e-320", "1e9", "nan", "inf", "-inf", "1_000", "00", "+1", "1e", "0x", "½", "٣",
)  # fmt: skip
CHARACTERS = "%@#!^{}()[]<>:,=\"\\/\0\n\r\t -+*|&?_;'`~$é\u00a0\u2028\ufeff\U0001f600\x1b\x7f\u202e"
OPENING = {"(": ")", "[": "]", "{": "}", "<": ">"}
EDGES = (
    0,
    1,
    -1,
    2,
    3,
    7,
    64,
    65,
    127,
    255,
    65536,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32,
    10**12,
    2**40,
    2**63 - 1,
    -(2**63),
)
REALS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e-320, 3.5e38, 1e308, float("inf"), -float("inf"), float("nan"))
STRINGS = (
    "",
    " ",
    "x",
    "..",
    "../x",
    "/",
    "/etc/passwd",
    "main",
    "é\U0001f600",
    "a" * 300,
    "\0",
    "\n",
    "%s",
    "0",
    "-1",
    '"',
    "`",
)


class TextMutator:
    """A mutator of texts in one language, with words from a corpus."""

    def __init__(self, corpus: Sequence[str]) -> None:
        self.words = sorted({token for text in corpus for token in TOKEN.findall(text) if not token.isspace()})
        self.lines = sorted({line for text in corpus for line in text.splitlines() if line.strip()})
        self.moves: tuple[tuple[int, Callable[[list[str], Random], list[str]]], ...] = (
            (3, self._delete),
            (2, self._double),
            (3, self._swap),
            (5, self._replace),
            (3, self._insert),
            (5, self._renumber),
            (7, self._renumber_all),
            (7, self._reword_all),
            (2, self._character),
            (2, self._line),
            (1, self._nest),
            (1, self._cut),
            (1, self._many),
        )

    def __call__(self, text: str, random: Random, most: int = 4) -> str:
        """The text after one to `most` mutations; usually one, since a text that is rejected at its start tests
        little."""
        for _ in range(min(most, random.choice((1, 1, 1, 1, 2, 2, 3, 4)))):
            tokens = TOKEN.findall(text) or [""]
            (move,) = random.choices([move for _, move in self.moves], [weight for weight, _ in self.moves])
            text = "".join(move(tokens, random))
            if len(text) > 200_000:
                return text
        return text

    def consistent(self, text: str, random: Random) -> str:
        """The text with numbers and words replaced at all of their occurrences, so that it is often still a valid
        program."""
        for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
            move = random.choice((self._renumber_all, self._reword_all))
            text = "".join(move(TOKEN.findall(text) or [""], random))
        return text

    def _delete(self, tokens: list[str], random: Random) -> list[str]:
        at = random.randrange(len(tokens))
        return tokens[:at] + tokens[at + random.choice((1, 1, 1, 2, 5)) :]

    def _double(self, tokens: list[str], random: Random) -> list[str]:
        at = random.randrange(len(tokens))
        end = at + random.choice((1, 1, 3, 10))
        return tokens[:end] + tokens[at:end] + tokens[end:]

    def _swap(self, tokens: list[str], random: Random) -> list[str]:
        """The tokens with two of them swapped, often two of one kind."""
        one = random.randrange(len(tokens))
        alike = [at for at, token in enumerate(tokens) if _kind(token) == _kind(tokens[one])]
        other = random.choice(alike) if random.random() < 0.7 else random.randrange(len(tokens))
        tokens[one], tokens[other] = tokens[other], tokens[one]
        return tokens

    def _replace(self, tokens: list[str], random: Random) -> list[str]:
        """The tokens with one of them replaced by a token of the corpus, of the same kind if there is one."""
        at = random.randrange(len(tokens))
        word = random.choice(self.words)
        for _ in range(20):
            if _kind(word) == _kind(tokens[at]):
                break
            word = random.choice(self.words)
        tokens[at] = word
        return tokens

    def _insert(self, tokens: list[str], random: Random) -> list[str]:
        tokens.insert(random.randrange(len(tokens)), random.choice(self.words) + random.choice(("", " ")))
        return tokens

    def _renumber(self, tokens: list[str], random: Random) -> list[str]:
        numbers = [at for at, token in enumerate(tokens) if re.search(r"\d", token)]
        if numbers:
            at = random.choice(numbers)
            found = random.choice(list(re.finditer(r"\d+(?:\.\d+)?", tokens[at])) or [None])
            if found is not None:
                tokens[at] = tokens[at][: found.start()] + random.choice(NUMBERS) + tokens[at][found.end() :]
        return tokens

    def _renumber_all(self, tokens: list[str], random: Random) -> list[str]:
        """The tokens with all occurrences of a number replaced, so that a consistent text may stay consistent."""
        text = "".join(tokens)
        numbers = sorted(set(re.findall(r"(?<![\w.])\d+(?=\D)|(?<=[<x])\d+(?=x)", text)))
        if not numbers:
            return tokens
        old, new = random.choice(numbers), random.choice((*NUMBERS[:14], str(random.randint(0, 40))))
        return [re.sub(rf"(?<![\w.])(?:(?<=x)|(?<=\W)){old}(?=\D)|(?<=[<x]){old}(?=x)", new, text)]

    def _reword_all(self, tokens: list[str], random: Random) -> list[str]:
        """The tokens with all occurrences of a word (an element type, an op, a name) replaced by another one of its
        kind."""
        at = random.randrange(len(tokens))
        word = random.choice(self.words)
        for _ in range(20):
            if _kind(word) == _kind(tokens[at]):
                break
            word = random.choice(self.words)
        types = ("f16", "bf16", "f32", "f64", "i1", "i8", "i32", "i64", "ui8", "i7", "index")
        text = "".join(tokens)
        if random.random() < 0.5 and (there := [each for each in types if each in text]):
            return [re.sub(rf"(?<![a-z]){random.choice(there)}(?!\w)", random.choice(types), text)]
        return [word if token == tokens[at] else token for token in tokens]

    def _character(self, tokens: list[str], random: Random) -> list[str]:
        text = "".join(tokens)
        at = random.randint(0, len(text))
        return [text[:at], random.choice(CHARACTERS), text[at + random.choice((0, 0, 1)) :]]

    def _line(self, tokens: list[str], random: Random) -> list[str]:
        lines = "".join(tokens).split("\n")
        at = random.randrange(len(lines))
        match random.randrange(4):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[at])
            case 2 if self.lines:
                lines.insert(at, random.choice(self.lines))
            case _:
                other = random.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
        return ["\n".join(lines)]

    def _nest(self, tokens: list[str], random: Random) -> list[str]:
        """The tokens with a bracketed part, or a bracket, nested many times in itself."""
        brackets = [at for at, token in enumerate(tokens) if token in OPENING]
        times = random.choice((2, 10, 100, 1000, 20000))
        if not brackets:
            return [*tokens, random.choice("([{<") * times]
        at = random.choice(brackets)
        start = max(0, at - random.choice((0, 1, 1, 2)))
        head = tokens[start : at + 1]
        closing = OPENING[tokens[at]] if random.random() < 0.7 else ""
        if len("".join(head)) * times > 400_000:
            times = 100
        return [*tokens[: at + 1], *head * times, *tokens[at + 1 : at + 2], closing * times, *tokens[at + 1 :]]

    def _cut(self, tokens: list[str], random: Random) -> list[str]:
        at = random.randrange(len(tokens))
        return tokens[:at] if random.random() < 0.5 else tokens[at:]

    def _many(self, tokens: list[str], random: Random) -> list[str]:
        """The tokens with a line or a token repeated many times."""
        times = random.choice((10, 100, 1000))
        text = "".join(tokens)
        if random.random() < 0.5:
            lines = text.split("\n")
            at = random.randrange(len(lines))
            return ["\n".join([*lines[:at], *lines[at : at + 1] * min(times, 200), *lines[at + 1 :]])]
        at = random.randrange(len(tokens))
        return [*tokens[:at], *tokens[at : at + 1] * times, *tokens[at + 1 :]]


def _kind(token: str) -> str:
    """The rough kind of a token, such as number, name or bracket."""
    first = token[:1]
    if first.isdigit():
        return "number"
    if first.isalpha():
        return "op" if "." in token else "word"
    return first if not first.isspace() else " "


def mutated_bytes(data: bytes, random: Random, most: int = 4) -> bytes:
    """The bytes with replacements, deletions, insertions and repetitions at one to `most` positions."""
    found = bytearray(data or b"\0")
    for _ in range(random.randint(1, most)):
        at = random.randrange(len(found) or 1)
        match random.randrange(6):
            case 0:
                found[at : at + 1] = bytes([random.randrange(256)])
            case 1:
                del found[at : at + random.randint(1, 8)]
            case 2:
                found[at:at] = random.randbytes(random.randint(1, 8))
            case 3:
                found[at:at] = found[at : at + random.randint(1, 64)]
            case 4:
                found[at : at + 1] = random.choice((b"\xff\xff\xff\xff\x0f", b"\x80" * 10, b"\0", b"\x7f", b"\xff" * 9))
            case _:
                if random.random() < 0.2:
                    del found[at:]
    return bytes(found)


def mutated_json(text: str, random: Random, words: Sequence[str]) -> str:
    """A JSON text with one to three changed nodes of its tree: values, types, keys."""
    tree: Any = json.loads(text)
    for _ in range(random.randint(1, 3)):
        nodes = list(_nodes(tree))
        if not nodes:
            break
        parent, key = random.choice(nodes)
        match random.randrange(8):
            case 0:
                del parent[key]
            case 1 | 2:
                parent[key] = _odd_value(random, words)
            case 3:
                other, other_key = random.choice(nodes)
                if key in parent if isinstance(parent, dict) else True:
                    parent[key] = json.loads(json.dumps(other[other_key]))
            case 4 if isinstance(parent, dict):
                parent[random.choice((*words, *STRINGS))] = cast("dict[str, Any]", parent).pop(key)
            case 5 if isinstance(parent, list):
                cast("list[Any]", parent).insert(key, parent[key])
            case 6 if isinstance(parent[key], int | float) and not isinstance(parent[key], bool):
                parent[key] = random.choice((*EDGES, *REALS, parent[key] * 10, -parent[key], parent[key] + 1))
            case _:
                parent[key] = [parent[key]] if random.random() < 0.5 else {"x": parent[key]}
        if random.random() < 0.02:
            for _ in range(random.choice((10, 1000, 100_000))):
                tree = [tree]
            return _deep_json(tree)
    return json.dumps(tree, indent=random.choice((None, 1)))


def _deep_json(tree: Any) -> str:
    """Deeply nested JSON values as text, written without recursion."""
    depth = 0
    inner = tree
    while isinstance(inner, list) and len(cast("list[Any]", inner)) == 1:
        inner, depth = cast("list[Any]", inner)[0], depth + 1
    return "[" * depth + json.dumps(inner) + "]" * depth


def _nodes(tree: Any) -> list[tuple[Any, Any]]:
    """All nodes of a tree except its root, each as its parent and its key in the parent."""
    found: list[tuple[Any, Any]] = []
    left: list[Any] = [tree]
    while left and len(found) < 20_000:
        node: Any = left.pop()
        keys: Sequence[Any] = list(cast("dict[str, Any]", node)) if isinstance(node, dict) else range(len(node))
        for key in keys:
            inner = cast(Any, node)[key]
            found.append((cast(Any, node), key))
            if isinstance(inner, dict | list):
                left.append(inner)
    return found


def _odd_value(random: Random, words: Sequence[str]) -> Any:
    choices: tuple[Any, ...] = (*EDGES[:4], random.choice(EDGES), random.choice(REALS), random.choice(STRINGS))
    others: tuple[Any, ...] = (random.choice(words), None, True, list[Any](), dict[str, Any](), 10**400)
    return random.choice((*choices, *others))


def mutate_message(message: Any, random: Random, most: int = 3) -> None:
    """Change one to `most` fields of a protobuf message, or of messages inside of it, in place; the message still
    decodes."""
    for _ in range(random.choice((1, 1, 1, 2, most))):
        messages = _messages(message)
        target = random.choice(messages)
        fields = [field for field, _ in target.ListFields()]
        if random.random() < 0.15 or not fields:
            fields = list(target.DESCRIPTOR.fields)
        if not fields:
            continue
        field = random.choice(fields)
        if _repeated(field):
            _change_list(getattr(target, field.name), field, random)
        elif field.message_type is not None:
            if random.random() < 0.3:
                target.ClearField(field.name)
            else:
                getattr(target, field.name).SetInParent()
        elif random.random() < 0.1:
            target.ClearField(field.name)
        else:
            _set(partial(setattr, target, field.name), field, getattr(target, field.name), random)


def _repeated(field: Any) -> bool:
    return bool(field.is_repeated) if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED


def _messages(root: Any) -> list[Any]:
    """A message and all messages inside of it; of long lists only some elements, so that not only weights are
    changed."""
    found, left = list[Any](), [root]
    while left:
        message = left.pop()
        found.append(message)
        for field, value in message.ListFields():
            if field.message_type is not None:
                left += list(value) if _repeated(field) else [value]
    return found


def _change_list(values: Any, field: Any, random: Random) -> None:
    count = len(values)
    if field.message_type is not None or (count and random.random() < 0.5):
        match random.randrange(3) if count else 3:
            case 0:
                del values[random.randrange(count)]
            case 1:
                copy = values[random.randrange(count)]
                values.append(copy) if field.message_type is None else values.add().CopyFrom(copy)
            case 2 if field.message_type is not None:
                one, other = random.randrange(count), random.randrange(count)
                kept = type(values[one])()
                kept.CopyFrom(values[one])
                values[one].CopyFrom(values[other])
                values[other].CopyFrom(kept)
            case 2:
                one, other = random.randrange(count), random.randrange(count)
                values[one], values[other] = values[other], values[one]
            case _:
                if field.message_type is not None:
                    values.add()
    elif count:
        at = random.randrange(count)
        _set(lambda value: values.__setitem__(at, value), field, values[at], random)
    else:
        _set(values.append, field, _default(field), random)


def _default(field: Any) -> Any:
    kinds: dict[int, Any] = {9: "", 10: 0, 1: 0.0, 2: 0.0, 8: False, 3: b""}
    return {field.CPPTYPE_STRING: b"" if field.type == field.TYPE_BYTES else ""}.get(
        field.cpp_type, kinds.get(field.cpp_type, 0)
    )


def _set(put: Callable[[Any], None], field: Any, old: Any, random: Random) -> None:
    """Set a field to an unusual value of its type by `put`; nothing changes if protobuf rejects the value."""
    if isinstance(old, bool):
        value: Any = not old
    elif isinstance(old, float):
        value = random.choice((*REALS, old * 2, -old))
    elif isinstance(old, int):
        value = random.choice((*EDGES, old + 1, old - 1, random.randint(0, 30)))
    elif isinstance(old, bytes):
        value = random.choice(
            (b"", old[:-1], old + b"\0", mutated_bytes(old, random, 1), random.choice(STRINGS).encode())
        )
    else:
        value = random.choice((*STRINGS, old + "x", old[:-1], old.swapcase()))
    try:
        put(value)
    except (ValueError, TypeError):
        return

"""Completers of flags' values, for argcomplete: functions that return the words to offer for the beginning of a
word."""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal, get_args, get_origin, get_type_hints

from dialects.diagnostics import InputError
from lowering.words import known_words
from ndpir.compiler.options import option_name
from ndpir.frontends.sizes import is_config
from ndpir.registry.names import Registry

Completer = Callable[..., list[str]]
"""A function with two keyword arguments: `prefix`, the beginning of the word, and `parsed_args`, the flags before
it."""

_LIST = re.compile(r"(?P<before>(?:[^,{}]*(?:\{[^}]*\})?,)*)(?P<name>[^,{}]*)(?:\{(?P<options>[^}]*))?")
"""A list up to the cursor: complete items, the name of the last item, and the options of the last item if its brace is
open."""
_KINDS = ("gpu", "pim", "ndp", "cpu")


def completers_of(registry: Registry) -> Mapping[str, Completer]:
    """The completer of each flag, in the spelling of `--help`; `file` and `input_file` are the names of positional
    arguments. A flag without a completer is completed with names of files."""
    passes = _listed(registry, lambda: registry.passes, lambda: [*registry.pipelines])
    one_pass = _named(registry, lambda: [*registry.passes])
    return {
        "-p": passes,
        "-t": _listed(registry, lambda: registry.targets, list),
        "--print-ir-before": one_pass,
        "--print-ir-after": one_pass,
        "--machine": _named(registry, lambda: _devices("machine", *_KINDS), files=(".mlir", ".sheet")),
        "--show-device": _named(registry, _devices),
        "--device": _named(registry, lambda: _devices("gpu"), files=(".sheet",)),
        "--list-ops": _named(registry, _ops),
        "--set": _named(registry, lambda: [f"{name}." for name in _devices()]),
        "--library": _named(registry, _libraries),
        "--as-library": _named(registry, _libraries),
        "--dim": _of_model(lambda dims, inputs: [f"{name}=" for name in dims]),
        "--shape": _of_model(lambda dims, inputs: [f"{name}=" for name in inputs]),
        "--batch": _numbers,
        "--cache-length": _numbers,
        "--sweep": _of_model(_axes),
        "--sheets": _files(),
        "--plugin": _files(".py"),
        "--profile": _files(),
        "input_file": _named(
            registry, _examples, files=(".onnx", ".pt2", ".json", ".mlir", ".mlirbc", ".stablehlo", ".pim", ".trace")
        ),
        "file": _named(
            registry,
            _examples,
            files=(".onnx", ".pt2", ".json", ".mlir", ".toml", ".csv", ".mlirbc", ".stablehlo"),
        ),
    }


def _join_plugins(registry: Registry, parsed: argparse.Namespace) -> None:
    """Load the plugins and folders of sheets that the command line names before the cursor; those that can't be read
    are skipped."""
    from ndpir.registry.plugins import load_file, load_sheets

    registry.discover()
    for folder in getattr(parsed, "sheets", None) or ():
        with suppress(InputError, OSError):
            load_sheets(folder)
    for path in getattr(parsed, "plugin", None) or ():
        with suppress(Exception):
            load_file(path).join(registry)


def _named(registry: Registry, names: Callable[[], Iterable[str]], files: tuple[str, ...] = ()) -> Completer:
    """A completer of names, and of files with these extensions."""
    find_files = _files(*files) if files else None

    def complete(prefix: str, parsed_args: argparse.Namespace, **rest: object) -> list[str]:
        _join_plugins(registry, parsed_args)
        found = [name for name in names() if name.startswith(prefix)]
        return found + (find_files(prefix=prefix) if find_files else [])

    return complete


def _of_model(words: Callable[[list[str], list[str]], list[str]]) -> Completer:
    """A completer of words for the model on the command line. `words`: the words for the names of its dimensions and
    of its inputs, which are empty if the command line has no ONNX model that can be read."""

    def complete(prefix: str, parsed_args: argparse.Namespace, **rest: object) -> list[str]:
        from ndpir.frontends.examples import resolved

        path = getattr(parsed_args, "input_file", None) or getattr(parsed_args, "file", None) or ""
        dims, inputs = list[str](), list[str]()
        with suppress(InputError, OSError):
            path = resolved(path)
            if path.endswith(".onnx"):
                from ndpir.frontends.onnx.extents import names_of
                from ndpir.frontends.onnx.model import read_model

                dims, inputs = names_of(read_model(path))
            elif is_config(path):
                from ndpir.frontends.configs.requested import ROLES

                dims = [*ROLES]
        return [word for word in words(dims, inputs) if word.startswith(prefix)]

    return complete


def _numbers(**rest: object) -> list[str]:
    """No words, for a flag whose value is a number."""
    return []


def _axes(dims: list[str], inputs: list[str]) -> list[str]:
    """The names of a sweep's axes, each followed by =."""
    from ndpir.sweep.axes import WORDS

    fixed = [*WORDS, *(f"dim.{name}" for name in dims), *(f"shape.{name}" for name in inputs)]
    return [*(f"{name}=" for name in fixed), *(f"{name}." for name in _devices())]


def _files(*extensions: str) -> Completer:
    """A completer of folders and of files with these extensions; without extensions, of folders and all files."""

    def complete(prefix: str, **rest: object) -> list[str]:
        from glob import escape, glob
        from os.path import isdir

        found = sorted(glob(f"{escape(prefix)}*"))
        return [f"{path}/" if isdir(path) else path for path in found if isdir(path) or path.endswith(extensions or "")]

    return complete


def _listed(
    registry: Registry, factories: Callable[[], Mapping[str, Callable[[], type]]], others: Callable[[], list[str]]
) -> Completer:
    """A completer of lists `NAME{option=value other=1},NAME`: it completes the last name, or, inside braces, an option
    of this name or an option's value. `factories`: the class for each name; `others`: further names."""

    def complete(prefix: str, parsed_args: argparse.Namespace, **rest: object) -> list[str]:
        _join_plugins(registry, parsed_args)
        part = _LIST.fullmatch(prefix)
        if part is None:
            return []
        known = factories()
        if part["options"] is None:
            names = [*known, *others()]
            return [part["before"] + name for name in names if name.startswith(part["name"])]
        if part["name"] not in known:
            return []
        head, _, word = part["options"].rpartition(" ")
        start = f"{part['before']}{part['name']}{{{head}{' ' if head else ''}"
        given = {each.partition("=")[0] for each in head.split()}
        cls = _class(registry, part["name"], known)
        return [start + each for each in _options(cls, word) if each.removesuffix("=") not in given]

    return complete


def _class(registry: Registry, name: str, known: Mapping[str, Callable[[], type]]) -> type[Any]:
    return registry.load_target(name) if known is registry.targets else registry.load_pass(name)


def _options(cls: type[Any], word: str) -> Iterator[str]:
    """The words for the options of a pass or target: for a word without =, the options that begin with it, each
    followed by =; for `OPTION=…`, the values of this option, each after `OPTION=`."""
    types = get_type_hints(cls)
    name, equals, value = word.partition("=")
    for field in dataclasses.fields(cls):
        if field.name == "name" or not field.init:
            continue
        option = option_name(field.name)
        if not equals and option.startswith(name):
            yield f"{option}="
        elif equals and option == name:
            values = _values(types[field.name], known_words(field))
            yield from (f"{option}={each}" for each in values if each.startswith(value))


def _values(type_: Any, words: Iterable[str]) -> Iterator[str]:
    """The values of an option, if it has a fixed set of them."""
    if words:
        yield from words
    elif type_ is bool:
        yield from ("true", "false")
    elif get_origin(type_) is Literal:
        yield from map(str, get_args(type_))
    else:
        for each in get_args(type_):
            if get_origin(each) is Literal or each is bool:
                yield from _values(each, ())


def _devices(*kinds: str) -> list[str]:
    from interp.machine.sheets import list_devices

    return [name for name, kind, _ in list_devices() if not kinds or kind in kinds]


def _libraries() -> list[str]:
    from interp.machine.sheets.search import library_files

    return sorted(library_files())


def _ops() -> list[str]:
    from ndpir.registry.universe import DIALECTS, load_dialect

    return [op.name for name in DIALECTS for op in load_dialect(name).operations]


def _examples() -> list[str]:
    from ndpir.frontends.examples import PREFIX, examples

    return [f"{PREFIX}{name}" for name in examples()]

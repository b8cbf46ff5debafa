"""Files of exported programs (`.pt2`): the graph is read by its schema, weights stay in the file. PyTorch is not
needed, and no code of the file runs: pickles are refused.

The format is that of torch/export/pt2_archive: a zip file whose entries are stored uncompressed, with the graph in
`models/NAME.json`, and for each weight its type in `data/weights/NAME_weights_config.json` and its bytes in an
entry."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from typing import Any, NoReturn
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from xdsl.dialects.builtin import StringAttr

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import bit_width, element_type_named
from dialects.files import open_regular, reason_of
from dialects.graph.properties import integer
from ndpir.frontends.torch.places import module_in_text, user_line
from ndpir.frontends.torch.program import (
    SCALAR_TYPES,
    Argument,
    Extent,
    Graph,
    Input,
    Node,
    Output,
    Program,
    Ref,
    Result,
    ScalarType,
    Subgraph,
    TensorMeta,
    Weight,
)

MAJOR = 8
"""The major version of the schema that is read (`SCHEMA_VERSION` of PyTorch 2.6 and newer)."""
MOST_GRAPH_BYTES = 1 << 30
COMPLEX = {9: "complex32", 10: "complex64", 11: "complex128"}


def read_archive(path: str, trusts_pickles: bool = False) -> Program:
    """The exported program in a file. `trusts_pickles`: weights that are pickled are read by PyTorch, which may run
    code of the file. Raises InputError for a file that holds no exported program, and for one that needs a pickle."""
    try:
        with open_regular(path) as file, ZipFile(file) as archive:
            return _Archive(path, archive, trusts_pickles).program()
    except BadZipFile:
        raise InputError(
            "this is no archive of an exported program; write one by torch.export.save(program, PATH)", f"{path}:1:1"
        ) from None
    except OSError as error:
        raise InputError(f"the file can't be read: {reason_of(error)}", f"{path}:1:1") from None


class _Archive:
    """One archive that is being read."""

    def __init__(self, path: str, archive: ZipFile, trusts_pickles: bool) -> None:
        self.path, self.archive, self.trusts_pickles = path, archive, trusts_pickles
        self.entries = {info.filename.partition("/")[2]: info for info in archive.infolist()}

    def fail(self, message: str) -> NoReturn:
        raise InputError(message, f"{self.path}:1:1")

    def program(self) -> Program:
        if "archive_format" not in self.entries or self._bytes("archive_format") != b"pt2":
            if "data.pkl" in self.entries:
                self.fail(
                    "this file is a pickle of torch.save or a TorchScript module, which could run code when read; "
                    "export the model (torch.export.export) and save it by torch.export.save"
                )
            self.fail("this zip file holds no exported program; write one by torch.export.save(program, PATH)")
        models = [name for name in self.entries if re.fullmatch(r"models/[^/]+\.json", name)]
        if len(models) != 1:
            met = ", ".join(sorted(name[7:-5] for name in models)) or "none"
            self.fail(f"the archive must hold one exported program, but holds {met}; save one program in each file")
        model = models[0][7:-5]
        found = self._json(models[0])
        try:
            version = found["schema_version"]["major"]
            if version != MAJOR:
                self.fail(
                    f"the program is written in version {version} of the schema of exported programs, but version "
                    f"{MAJOR} is read (PyTorch 2.6 to 2.13); export it again with one of these"
                )
            weights = self._weights(f"data/weights/{model}_weights_config.json", "data/weights")
            weights |= self._weights(f"data/constants/{model}_constants_config.json", "data/constants")
            return _program(self.path, found, weights)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            self.fail(
                f"the graph does not follow the schema of exported programs ({type(error).__name__}: {error}); save "
                "the program again by torch.export.save"
            )

    def _bytes(self, name: str) -> bytes:
        if self.entries[name].file_size > MOST_GRAPH_BYTES:
            self.fail(f"the entry `{name}` has {self.entries[name].file_size} bytes, more than a graph ever has")
        return self.archive.read(self.entries[name])

    def _json(self, name: str) -> Any:
        try:
            return json.loads(self._bytes(name))
        except (ValueError, RecursionError):
            self.fail(f"the entry `{name}` is damaged: it is no JSON text; save the program again")

    def _weights(self, config: str, folder: str) -> dict[str, Weight]:
        if config not in self.entries:
            return {}
        return {
            name: self._weight(name, each, folder)
            for name, each in self._json(config)["config"].items()
            if each["tensor_meta"] is not None or self._refuse_pickle(name)
        }

    def _refuse_pickle(self, name: str) -> bool:
        self.fail(
            f"`{name}` is stored as a pickle of a Python object, which could run code when read; remove it from the "
            "model, and export it again"
        )

    def _weight(self, name: str, payload: Mapping[str, Any], folder: str) -> Weight:
        meta = payload["tensor_meta"]
        type_ = _meta(meta)
        entry = f"{folder}/{payload['path_name']}"
        if entry not in self.entries:
            self.fail(
                f"the numbers of `{name}` are missing: the archive has no entry `{entry}`; save the program again"
            )
        info = self.entries[entry]
        if payload["use_pickle"]:
            return self._pickled(name, type_, info)
        if info.compress_type != ZIP_STORED:
            self.fail(
                f"the numbers of `{name}` are compressed, so that they can't be read in place; write the archive by "
                "torch.export.save, which stores them as they are"
            )
        start = None if not info.file_size else self._start(info)
        if start is not None and type_.element in SCALAR_TYPES.values():
            self._check_size(name, type_, _extent(meta["storage_offset"]), info.file_size)
        return Weight(type_, int(_extent(meta["storage_offset"])), *_in_file(self.path, start, type_))

    def _check_size(self, name: str, type_: TensorMeta, offset: Extent, size: int) -> None:
        """Raise InputError if a weight reaches beyond its entry."""
        shape, strides = [int(n) for n in type_.shape], [int(n) for n in type_.strides]
        last = int(offset) + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + 1 if all(shape) else 0
        if min((*shape, *strides, int(offset)), default=0) < 0 or last * _bytes_each(type_) > size:
            self.fail(f"`{name}` does not fit the {size} bytes that the archive has for it; save the program again")

    def _start(self, info: ZipInfo) -> int:
        """The byte of the file at which an entry's contents begin: behind its local header."""
        with open_regular(self.path) as file:
            file.seek(info.header_offset)
            header = file.read(30)
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            self.fail(f"the entry `{info.filename}` is damaged; save the program again")
        name, extra = struct.unpack("<HH", header[26:30])
        return info.header_offset + 30 + name + extra

    def _pickled(self, name: str, type_: TensorMeta, info: ZipInfo) -> Weight:
        """A weight that is pickled. Raises InputError unless the user trusts the file."""
        if not self.trusts_pickles:
            self.fail(
                f"the weight `{name}` is stored as a pickle, which could run code when it is read; if you trust the "
                "file's author, read it with --trust-pickles (trust_pickles=True), which needs PyTorch; else have it "
                "exported with plain tensors"
            )
        from ndpir.frontends.torch.memory import unpickled

        return unpickled(name, self.archive.read(info), self.path)


def _in_file(path: str, start: int | None, type_: TensorMeta) -> tuple[Any, Any]:
    """The functions `source` and `read` of a weight in a file, whose storage begins at byte `start`; None: it has no
    numbers."""

    def place(offset: int) -> int:
        assert start is not None
        return start + offset * _bytes_each(type_)

    def source(offset: int, count: int) -> g.WeightSource | None:
        return None if start is None else g.FileAttr(StringAttr(path), integer(place(offset)))

    def read(offset: int, count: int) -> bytes | None:
        if start is None:
            return None
        with open_regular(path) as file:
            file.seek(place(offset))
            return file.read(count * _bytes_each(type_))

    return source, read


def _bytes_each(type_: TensorMeta) -> int:
    return -(-bit_width(element_type_named(type_.element)) // 8)


def _program(path: str, found: Any, weights: Mapping[str, Weight]) -> Program:
    module = found["graph_module"]
    hints: dict[str, int] = {}
    graph = _graph(module["graph"], hints)
    ranges = {name: (each.get("min_val"), each.get("max_val")) for name, each in found["range_constraints"].items()}
    inputs = [_input(*_union(each)) for each in module["signature"]["input_specs"]]
    results = [_result(*_union(each)) for each in module["signature"]["output_specs"]]
    return Program(path, graph, inputs, results, weights, hints, ranges)


def _union(found: Mapping[str, Any]) -> tuple[str, Any]:
    """The kind and the value of a union of the schema, a mapping with one key."""
    ((kind, value),) = found.items()
    return kind, value


def _input(kind: str, found: Any) -> Input:
    match kind:
        case "user_input":
            argument = _argument(*_union(found["arg"]), {})
            name = argument.name if isinstance(argument, Ref) else ""
            return Input("user" if name else "number", name, value=argument)
        case "parameter":
            return Input("parameter", found["arg"]["name"], found["parameter_name"])
        case "buffer":
            return Input("buffer", found["arg"]["name"], found["buffer_name"])
        case "tensor_constant":
            return Input("constant", found["arg"]["name"], found["tensor_constant_name"])
        case "constant_input":
            return Input("number", found["name"], value=_union(found["value"])[1])
        case "token":
            return Input("token", found["arg"]["name"])
        case _:
            return Input(kind, found["arg"]["name"])


_CHANGES = {
    "buffer_mutation": "buffer_name",
    "parameter_mutation": "parameter_name",
    "user_input_mutation": "user_input_name",
}
_GRADIENTS = {"gradient_to_parameter": "parameter_name", "gradient_to_user_input": "user_input_name"}


def _result(kind: str, found: Any) -> Result:
    if kind in _CHANGES:
        return Result("changed", Ref(found["arg"]["name"]), found[_CHANGES[kind]])
    if kind in _GRADIENTS:
        return Result("gradient", Ref(found["arg"]["name"]), found[_GRADIENTS[kind]])
    if kind == "user_output":
        return Result("user", _argument(*_union(found["arg"]), {}))
    return Result("loss" if kind == "loss_output" else "token", Ref(found["arg"]["name"]))


def _graph(found: Any, hints: dict[str, int]) -> Graph:
    numbers: dict[str, Extent | float | bool] = {}
    for key in ("sym_int_values", "sym_bool_values", "sym_float_values"):
        for name, value in found.get(key, {}).items():
            numbers[name] = _number(*_union(value), hints)
    return Graph(
        [_argument(*_union(each), hints) for each in found["inputs"]],
        [_argument(*_union(each), hints) for each in found["outputs"]],
        [_node(each, hints) for each in found["nodes"] if not _is_of_numbers(each)],
        {name: _meta(each, hints) for name, each in found["tensor_values"].items()},
        numbers,
    )


def _number(kind: str, value: Any, hints: dict[str, int]) -> Any:
    if kind != "as_expr":
        return value
    _note_hint(value, hints)
    return _plain(str(value["expr_str"]))


def _note_hint(found: Any, hints: dict[str, int]) -> None:
    hint = found.get("hint")
    symbol = _plain(found["expr_str"])
    if hint is not None and re.fullmatch(r"[su]\d+", symbol):
        _, number = _union(hint)
        hints[symbol] = int(number)


def _plain(expression: str) -> str:
    """An expression that is one symbol, by its name; others stay as sympy represents them."""
    found = re.fullmatch(r"Symbol\('(\w+)'(, \w+=\w+)*\)", expression)
    return found[1] if found is not None else expression


def _extent(found: Mapping[str, Any], hints: dict[str, int] | None = None) -> Extent:
    kind, value = _union(found)
    return int(value) if kind == "as_int" else str(_number(kind, value, {} if hints is None else hints))


def _meta(found: Any, hints: dict[str, int] | None = None) -> TensorMeta:
    number = found["dtype"]
    element = SCALAR_TYPES.get(number) or COMPLEX.get(number) or f"type number {number}"
    if found["layout"] != 7:  # Layout.Strided
        element = "sparse elements"
    shape, strides = (tuple(_extent(each, hints) for each in found[key]) for key in ("sizes", "strides"))
    return TensorMeta(element, shape, strides)


def _is_of_numbers(found: Any) -> bool:
    """True for a node that computes symbolic numbers alone, whose expressions are known."""
    kinds = [_union(each)[0] for each in found["outputs"]]
    return bool(kinds) and all(kind.startswith("as_sym") for kind in kinds)


def _node(found: Any, hints: dict[str, int]) -> Node:
    target = str(found["target"]).removeprefix("torch.ops.")
    inputs: dict[str, Argument] = {}
    for index, each in enumerate(found["inputs"]):
        inputs[each["name"] or str(index)] = _argument(*_union(each["arg"]), hints)
    outputs = [_output(*_union(each)) for each in found["outputs"]]
    metadata = found["metadata"]
    module = module_in_text(metadata.get("nn_module_stack", ""))
    return Node(target, inputs, outputs, module, user_line(metadata.get("stack_trace") or ""))


def _output(kind: str, value: Any) -> Output:
    match kind:
        case "as_tensor" | "as_token" | "as_custom_obj":
            return str(value["name"])
        case "as_tensors":
            return [str(each["name"]) for each in value]
        case "as_sym_int" | "as_sym_bool" | "as_sym_float":
            return value.get("as_name")
        case "as_optional_tensors":
            return [_output(*_union(each)) for each in value]
        case "as_optional_tensor":
            return _output(*_union(value))
        case _:
            return None


def _argument(kind: str, value: Any, hints: dict[str, int]) -> Argument:
    match kind:
        case "as_none":
            return None
        case "as_tensor" | "as_token":
            return Ref(value["name"])
        case "as_tensors":
            return [Ref(each["name"]) for each in value]
        case "as_nested_tensors":
            return [[Ref(each["name"]) for each in row] for row in value]
        case "as_sym_int" | "as_sym_bool" | "as_sym_float":
            return _symbol(value)
        case "as_sym_ints" | "as_sym_bools" | "as_sym_floats":
            return [_symbol(each) for each in value]
        case "as_optional_tensors":
            return [_argument(*_union(each), hints) for each in value]
        case "as_optional_tensor":
            return _argument(*_union(value), hints)
        case "as_scalar_type":
            return ScalarType(SCALAR_TYPES.get(value) or COMPLEX.get(value) or f"type number {value}")
        case "as_graph":
            return Subgraph(value["name"], _graph(value["graph"], hints))
        case "as_device":
            return str(value["type"])
        case "as_float" if isinstance(value, str):  # Infinity and NaN
            return float(value)
        case "as_complex":
            return complex(value["real"], value["imag"])
        case "as_int" | "as_float" | "as_string" | "as_bool" | "as_memory_format" | "as_layout" | "as_operator":
            return value
        case "as_ints" | "as_floats" | "as_strings" | "as_bools" | "as_int_lists" | "as_float_lists":
            return [float(each) if isinstance(each, str) and kind == "as_floats" else each for each in value]
        case _:
            raise ValueError(f"an argument of the kind `{kind}` is not supported")


def _symbol(value: Mapping[str, Any]) -> Argument:
    kind, found = _union(value)
    return Ref(found) if kind == "as_name" else found

"""Kinds of mutated input that are no programs: archives of arrays, journals and tables of sweeps, sweeps, plans of
moves, laws of cycles, and reproducers."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, cast
from unittest import mock

import ml_dtypes
import numpy as np

import ndpir
from ndpir.sweep.evaluation import Outcome
from ndpir.sweep.journal import Journal, Row, read_journal
from ndpir.sweep.tables import csv_text, write_table
from tests.fuzz.case import ROOT, ROOT_WORD, Case
from tests.fuzz.mutate import EDGES, REALS, STRINGS, TextMutator, mutated_bytes, mutated_json

INPUTS = f"{ROOT_WORD}/tests/fuzz/inputs"
PROGRAM = f"{INPUTS}/program.mlir"
NAMES = ("x", "z", "arg0", "arg1", "arr_0", "w", "", "é", "../x", "a" * 70_000, "\x1b[31m\u202e", "x.npy", "x\0y")
Bytes: TypeAlias = Callable[[Random], bytes]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# ---------------------------------------------------------------------- archives of arrays

X, Z = np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 16), np.linspace(0, 1, 64, dtype=np.float32).reshape(4, 16)


def _members(random: Random) -> dict[str, bytes]:
    """The members of an archive, arrays of several types, orders and shapes in numpy's format."""
    arrays: list[Any] = [X, Z, X.astype(">f4"), Z.astype(np.float64), X.astype(ml_dtypes.bfloat16), X > 0, Z[:, :0]]
    arrays += [np.asfortranarray(Z), np.array(1.0, np.float32), np.array(["a"]), np.zeros(2, "i4,f4")]
    arrays.append(np.array([None, {}], object))
    first = [X, Z] if random.random() < 0.6 else random.choices(arrays, k=2)
    found: dict[str, bytes] = {}
    for name, array in zip(("x.npy", "z.npy"), first, strict=True):
        data, version = io.BytesIO(), random.choice((None, None, (2, 0), (3, 0)))
        np.lib.format.write_array(data, np.asarray(array), allow_pickle=True, version=version)
        found[name] = data.getvalue()
    return found


HEADERS = (
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 16), }",
    "{'descr': '|V2', 'fortran_order': True, 'shape': (4,)}",
    "{'descr': '>i8', 'fortran_order': False, 'shape': (), }",
    "{'descr': '|O', 'fortran_order': 1, 'shape': (2L), }",
    "{[]: 1}", "[('a', '<f4'), ('b', '|S3', (2,))]", "__import__('os')", "-(1)", "1_0", "lambda: 0", "b'\\x00'", "...",
)  # fmt: skip
"""Headers of arrays in numpy's format, and other expressions of Python."""


@cache
def _header_mutator() -> TextMutator:
    return TextMutator(HEADERS)


def _changed_array(data: bytes, random: Random) -> bytes:
    """An array in numpy's format with a changed header, whose length is mostly right, or with other bytes."""
    if random.random() < 0.3:
        return random.choice(
            (mutated_bytes(data, random), b"", data[:7], b"text", data + bytes(random.choice((1, 1 << 20))))
        )
    start = 10 if data[6] == 1 else 12
    length = int.from_bytes(data[8:start], "little")
    header = _header_mutator()(data[start : start + length].decode("latin-1"), random)[:60_000]
    text = header.encode("latin-1", "replace")
    stated = len(text) if random.random() < 0.9 else random.choice((0, 1, 65535, length))
    return data[:8] + (stated & (256 ** (start - 8) - 1)).to_bytes(start - 8, "little") + text + data[start + length :]


def _archive(random: Random) -> bytes:
    """A zip archive of arrays with changed members, names, fields of its directory, or bytes."""
    members = _members(random)
    if random.random() < 0.6:
        name = random.choice(list(members))
        members[name] = _changed_array(members[name], random)
    if random.random() < 0.15:
        members[random.choice(NAMES)[: random.choice((3, 65_000))]] = members.pop(random.choice(list(members)))
    if random.random() < 0.05:
        members["bomb.npy"] = bytes(1 << 24)
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", random.choice(methods)) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name.replace("\0", "?"))
            info.compress_type = archive.compression
            archive.writestr(info, data)
    data = bytearray(file.getvalue())
    while random.random() < 0.4:  # a field of a header: sizes, methods, flags, offsets, checksums
        marks = [at for mark in (b"PK\1\2", b"PK\3\4", b"PK\5\6") for at in _places(data, mark)]
        at, width = random.choice(marks) + random.randrange(4, 46), random.choice((1, 2, 4))
        value = random.choice((0, 1, 8, 12, 14, 99, 0xFFFF, 0xFFFFFFFF, random.getrandbits(32)))
        data[at : at + width] = (value & (256**width - 1)).to_bytes(width, "little")
    return mutated_bytes(bytes(data), random) if random.random() < 0.2 else bytes(data)


def _places(data: bytes | bytearray, mark: bytes) -> list[int]:
    found, at = list[int](), data.find(mark)
    while at >= 0:
        found.append(at)
        at = data.find(mark, at + 1)
    return found


def _safetensors(random: Random) -> bytes:
    """A safetensors file with a changed header, whose length is mostly right, or with changed bytes."""
    stated = {
        "__metadata__": {"format": "np"},
        "x": {"dtype": "F32", "shape": [1, 16], "data_offsets": [0, 64]},
        "z": {"dtype": "F32", "shape": [4, 16], "data_offsets": [64, 320]},
    }
    text = json.dumps(stated)
    chance = random.random()
    words = ("dtype", "shape", "data_offsets", "x", "z", "F32", "BF16", "BOOL", "F8_E4M3", "__metadata__", "I64")
    if chance < 0.6:
        text = mutated_json(text, random, words)
    elif chance < 0.8:
        text = TextMutator([text])(text, random)
    header = _encoded(text)
    length = len(header) if random.random() < 0.9 else random.choice((0, 7, 1 << 20, (1 << 64) - 1))
    data = length.to_bytes(8, "little") + header + X.tobytes() + Z.tobytes()
    return mutated_bytes(data, random) if random.random() < 0.2 else data


def arrays(random: Random) -> Case:
    """A case of a file with arrays for a program's arguments."""
    file, write = random.choice((("input.npz", _archive), ("input.npz", _archive), ("input.safetensors", _safetensors)))
    words = ("-t", "values") if random.random() < 0.8 else ("-p", "canonicalize", "--check")
    return Case(("ndp-opt", PROGRAM, *words, "--inputs", file), file, write(random))


# ---------------------------------------------------------------------- journals and tables of sweeps

FIGURES = ("makespan_ns", "energy_nj", "speed_up", "gap", "tasks", "busy_ns.gpu", "no", "")


@cache
def _results() -> Sequence[Row]:
    """The results of a sweep: numbers, texts, missing figures and errors."""
    found: list[Row] = []
    for number in range(12):
        point: dict[str, Any] = {
            "pim.tCCD": number % 4 + 1,
            "machine": ("toy", "cpu-pim")[number % 2],
            "gpu.x": number / 7,
        }
        figures: dict[str, Any] = {"makespan_ns": 100.0 - number, "speed_up": 1 + number / 9, "energy_nj": 3.5 * number}
        figures |= {"gap": None, "tasks": number, "busy_ns.gpu": 1e9 * number, "word": "a"}
        found.append(Row(number, point, {} if number == 7 else figures, "failed: x" if number == 7 else "", 0.1))
    return found


@cache
def _journal() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/j.sqlite"
        with Journal(path) as journal:
            for row in _results():
                journal.add(
                    row.number, row.point, Outcome(f"{row.number:032x}", dict(row.figures), row.error, row.seconds)
                )
            journal.show_columns(["pim.tCCD", "machine"], ["makespan_ns"])
        assert len(read_journal(path)) == len(_results())
        with sqlite3.connect(path, isolation_level=None) as file:
            file.execute("pragma journal_mode = delete")
        return Path(path).read_bytes()


STATEMENTS = (
    "alter table points rename column figures to figure", "alter table points rename to results2", "drop table meta",
    "alter table points add column more text default 'x'", "drop table points", "delete from meta",
    "create trigger t after insert on points begin delete from points; end",
    "create trigger t before insert on points begin select raise(abort, 'no'); end",
    "drop table points; create view points as with recursive n(x) as (select 1 union all select x + 1 from n) "
    "select x as key, x as number, '{}' as point, '{}' as figures, '' as error, 0 as seconds, 1 as final from n",
    "drop table points; create table points (key, number, point, figures, error, seconds, final)",
    "drop view results; create table results (x)", "update meta set value = 'ndpir-sweep/0'", "pragma user_version = 9",
    "update meta set value = x'ff'", "create table more (x)", "create index i on points(json_extract(point, '$.x'))",
    "pragma application_id = 7", "update points set figures = point, point = figures", "drop view results",
    "update points set key = key || 'x'", "update points set number = -number", "insert into points select key || 'y', "
    "number + 9999999999999, point, figures, error, seconds, final from points", "delete from points", "vacuum",
    "update points set final = 0", "pragma journal_mode = wal", "pragma encoding = 'UTF-16'",
    "update points set point = '{}'",
)  # fmt: skip
"""Statements that change the form of a journal, or many of its values."""


def _changed_journal(random: Random) -> bytes:
    """A journal with other values, of other types, with other tables and triggers, or with changed bytes."""
    data = _journal()
    if random.random() < 0.75:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "j.sqlite"
            path.write_bytes(data)
            file = sqlite3.connect(path, isolation_level=None)
            for _ in range(random.choice((1, 1, 2, 3))):
                try:
                    if random.random() < 0.35:
                        file.executescript(random.choice(STATEMENTS))
                    else:
                        _change_value(file, random)
                except sqlite3.Error:  # an earlier change removed what this one needs
                    pass
            file.close()
            data = path.read_bytes()
    if random.random() < 0.4:
        found = bytearray(data)
        for _ in range(random.choice((1, 1, 3, 20))):
            at = random.randrange(100 if random.random() < 0.2 else len(found))
            found[at] = random.choice((found[at] ^ 1 << random.randrange(8), 0, 255, random.randrange(256)))
        data = bytes(found)
    return data if random.random() < 0.95 else mutated_bytes(data, random)


def _change_value(file: sqlite3.Connection, random: Random) -> None:
    column = random.choice(("point", "figures", "point", "figures", "key", "number", "error", "seconds", "final"))
    row = random.randrange(len(_results()))
    numbers = (*EDGES, 1 << 62, *REALS)
    texts = (random.choice(STRINGS), b"\xff\0", "{" * 5000, b"{}", "\x1b\u202e\n")
    new: Any = random.choice((None, random.choice(numbers), *texts))
    if column in ("point", "figures") and random.random() < 0.7:
        held = _results()[row].point if column == "point" else _results()[row].figures
        words = ("makespan_ns", "energy_nj", "machine", "pim.tCCD", "speed_up", "\x1b[31m\u202e\n")
        new = mutated_json(json.dumps(dict(held) or {"makespan_ns": 1.0}), random, words)
    where = "" if random.random() < 0.2 else f" where number = {row}"
    file.execute(f"update points set {column} = ?{where}", (new,))


def _table(random: Random) -> bytes:
    """A CSV file of results with changed text, or with changed cells and lengths of its lines."""
    text = csv_text(_results())
    if random.random() < 0.4:
        return _encoded(TextMutator([text])(text, random))
    lines = list(csv.reader(io.StringIO(text)))
    for _ in range(random.randint(1, 4)):
        line = random.choice(lines if random.random() < 0.8 else lines[:1])
        at = random.randrange(len(line) or 1)
        match random.randrange(12):
            case 0:
                line[at:at] = [random.choice(STRINGS)] * random.choice((1, 1, 2, 500))
            case 1:
                del line[at : at + random.choice((1, 1, 3))]
            case 2 | 3:
                lines.insert(random.randrange(len(lines) + 1), list(line))
            case _:
                odd = (*STRINGS, *EDGES, *REALS, 10**400, "9" * 5000, *FIGURES, "1_0", "\u0663", "\x1b\u202e\n")
                line[at : at + 1] = [str(random.choice(odd))]
    file = io.StringIO()
    csv.writer(file, lineterminator=random.choice(("\n", "\r\n"))).writerows(lines)
    return _encoded(file.getvalue())


@cache
def _parquet_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write_table(f"{folder}/r.parquet", _results())
        return Path(f"{folder}/r.parquet").read_bytes()


def _parquet(random: Random) -> bytes:
    """A Parquet file of results with columns of other types, or with changed bytes."""
    if random.random() < 0.5:
        return mutated_bytes(_parquet_file(), random)
    arrow, parquet = (cast(Any, import_module(name)) for name in ("pyarrow", "pyarrow.parquet"))
    kinds: list[Callable[[], Any]] = [
        lambda: arrow.array([*map(float, random.choices(EDGES, k=3)), None], arrow.float64()),
        lambda: arrow.array(random.choices(EDGES[:12], k=4)),
        lambda: arrow.array(random.choices((*REALS, None), k=4)),
        lambda: arrow.array(random.choices((*STRINGS, None, "\x1b\u202e"), k=4)),
        lambda: arrow.array([[1], [2], None, []]),
        lambda: arrow.array([{"a": 1}, None, {"a": 2}, {}]),
        lambda: arrow.array([b"\xff", b"", None, b"a"]),
        lambda: arrow.array([True, False, None, True]),
        lambda: arrow.array([1, 2, 3, 1 << 60], arrow.timestamp("ns")),
        lambda: arrow.array([1, 2, 3, 4], arrow.decimal128(38, 2)),
        lambda: arrow.array([(1 << 64) - 1, 0, 1, 2], arrow.uint64()),
        lambda: arrow.nulls(4),
        lambda: arrow.array(["a", "b", "a", None]).dictionary_encode(),
        lambda: arrow.array(["a", "b", "a", None], arrow.large_string()),
        lambda: arrow.array([1.5, 2, None, float("nan")], arrow.float16()),
    ]
    names = ["pim.tCCD", "machine", "makespan_ns", "energy_nj", "error"]
    if random.random() < 0.2:
        names[random.randrange(5)] = random.choice(("error", "x", "", "makespan_ns", "\x1b"))
    columns = [kinds[random.randrange(len(kinds))]() if random.random() < 0.4 else kinds[2]() for _ in names[:-1]]
    file = io.BytesIO()
    table = arrow.Table.from_arrays([*columns, arrow.array([None, None, "failed", None])], names=names)
    parquet.write_table(table, file, compression=random.choice(("snappy", "none", "gzip", "zstd")))
    return file.getvalue()


def _shown(random: Random, file: str) -> tuple[str, ...]:
    """A command that shows the results in a file."""
    words = ["ndp-sweep", "show", file]
    if random.random() < 0.3:
        words.append(random.choice(("--csv", "--json")))
    if random.random() < 0.3:
        words += ["--report", "out.html"]
    if random.random() < 0.3:
        words += ["--plot", "out.svg", "--kind", random.choice(("pareto", "effects"))]
    if random.random() < 0.3:
        words += [
            "--pareto",
            ",".join(random.choices(FIGURES, k=random.choice((1, 2, 3)))),
            "--sensitivity",
            random.choice(FIGURES),
        ]
    return tuple(words)


def journal(random: Random) -> Case:
    """A case of a journal that is shown, or continued by a sweep."""
    data = _changed_journal(random)
    if random.random() < 0.85:
        return Case(_shown(random, "input.sqlite"), "input.sqlite", data)
    return Case(("ndp-sweep", f"{INPUTS}/sweep.toml", "-o", "input.sqlite", "--jobs", "1"), "input.sqlite", data)


def results(random: Random) -> Case:
    """A case of a table of results that is shown."""
    file, write = random.choice((("input.csv", _table), ("input.parquet", _parquet)))
    return Case(_shown(random, file), file, write(random))


# ---------------------------------------------------------------------- sweeps, plans of moves, laws, reproducers

SWEEP = """\
model = "example:encoder_layer"
machine = "toy"
passes = "place{policy=greedy},order"
set = ["toy_gpu.launch=2 ns"]
dims = { batch = 4 }
shapes = { x = [1, 16] }
batch = 2
cache_length = 7
keep_types = true
effort = 1.5
profiles = []
sheets = []
plugins = []
design = "latin-hypercube"
samples = 2
seed = 1

[sweep]
"toy_pim.tRP" = "1..8"
"toy_pim.tRCDMAC" = [1, 2.5, "3"]
"toy_gpu.launch" = "0.5..2.0"
machine = ["toy", "cpu-pim"]
passes = "place;place,order"
batch = "1..64*2"
"dim.batch" = 2
"shape.x" = ["1x16", "2x16"]
"""


SIZES = ("dims", "shapes", "batch", "cache_length", '"dim', '"shape')
"""Beginnings of lines that apply to ONNX models only, and not to the program."""


@cache
def _sweep_mutator() -> TextMutator:
    return TextMutator([SWEEP])


def sweep(random: Random) -> Case:
    """A case of a sweep in a file, of which two points are computed."""
    lines = SWEEP.split("\n")
    table = lines.index("[sweep]")
    head = [line for line in lines[1:table] if random.random() < (0.03 if line.startswith(SIZES) else 0.5)]
    axes = [line for line in lines[table + 1 :] if random.random() < (0.03 if line.startswith(SIZES) else 0.5)]
    text = "\n".join([lines[0], *head, "[sweep]", *axes]) + "\n"
    if random.random() < 0.9:
        text = _sweep_mutator()(text, random)
    words = ("--design", "random", "--samples", "2", "--jobs", "1")
    out = random.choice(((), ("-o", "out.csv"), ("-o", "out.sqlite")))
    return Case(("ndp-sweep", "input.toml", *words, *out), "input.toml", _encoded(text))


@cache
def _moves() -> Sequence[str]:
    """Plans of moves for the program `moves.mlir`, in both formats."""
    module = ndpir.read(ROOT / "tests/fuzz/inputs/moves.mlir")
    with tempfile.TemporaryDirectory() as folder:
        for policy in ("pump", "plan", "lookahead"):
            ndpir.compile(module.clone(), f'prefetch{{policy={policy} save="{folder}/{policy}"}}')
        found = [path.read_text("utf-8") for path in sorted(Path(folder).iterdir())]
    rows = (ROOT / "tests/data/g10/Small_1_g10_plan.csv").read_text("utf-8").splitlines()
    return [*found, "\n".join([*rows[:6], *rows[-2:]]) + "\n"]


def replay(random: Random) -> Case:
    """A case of a plan of moves that a program replays."""
    text = TextMutator(_moves())(random.choice(_moves()), random)
    target = random.choice(("timeline", "summary", "memory-svg"))
    words = ("ndp-opt", f"{INPUTS}/moves.mlir", "-p", 'prefetch{policy=replay file="input.txt"}', "-t", target)
    return Case(words, "input.txt", _encoded(text))


@cache
def _law() -> str:
    return (ROOT / "interp/devices/calibrations/toy_ndp.law").read_text("utf-8") + "  factor 2 1 1 1.5\n"


def law(random: Random) -> Case:
    """A case of a law of cycles of near-data units, by which a program is placed."""
    sheets = ("--sheets", INPUTS, "--sheets", ".")
    words = ("ndp-opt", f"{INPUTS}/near.mlir", *sheets, "-p", "place{policy=overlap}", "-t", "timeline")
    return Case(words, "my_ndp.law", _encoded(TextMutator([_law()])(_law(), random)))


@cache
def _reproducers() -> Sequence[str]:
    from ndpir.cli import reproducer

    found: list[str] = []
    program = (ROOT / "tests/fuzz/inputs/program.mlir").read_text("utf-8")
    folder = tempfile.mkdtemp()
    with mock.patch.object(reproducer, "_place", return_value=folder):
        for words, text in (
            (["x.mlir", "--machine", "toy", "-p", "place{policy=greedy},to-pim", "-t", "timeline"], program),
            (["x.onnx", "--dim", "batch=2", "-p", "fuse"], None),
            (["x.mlir", "--summary", "--set", "toy_gpu.launch=1 ns", "-p", "offload"], program),
        ):
            found.append(
                Path(reproducer.write_reproducer(ValueError("x"), "running pass fuse", words, text)).read_text()
            )
    shutil.rmtree(folder)
    return [text.replace(str(Path.cwd()), "/nowhere") for text in found]


def reproducer(random: Random) -> Case:
    """A case of a reproducer that is run again."""
    text = TextMutator(_reproducers())(random.choice(_reproducers()), random)
    return Case(("ndp-opt", "--run-reproducer", "input.mlir"), "input.mlir", _encoded(text))


KINDS: Mapping[str, tuple[int, Callable[[Random], Case]]] = {
    "arrays": (6, arrays),
    "journal": (6, journal),
    "results": (6, results),
    "sweep": (4, sweep),
    "replay": (3, replay),
    "law": (2, law),
    "reproducer": (2, reproducer),
}
"""The kinds of this file with their relative frequencies in a run of all kinds."""

"""The kinds of mutated input: the corpus of each kind, and the command lines that read it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from itertools import pairwise
from random import Random
from typing import TypeAlias

from onnx import ModelProto

import ndpir
from dialects.diagnostics import notes_to
from interp.machine.records import ARCHITECTURES
from tests.conformance.node_cases import all_cases, as_array, bind, shape_inputs
from tests.fuzz import data_files
from tests.fuzz.case import ROOT, ROOT_WORD, Case
from tests.fuzz.mutate import TextMutator, mutate_message, mutated_bytes, mutated_json

Words: TypeAlias = tuple[str, ...]
Kind: TypeAlias = Callable[[Random], Case]

MACHINES = (
    "toy",
    "toy-simd",
    "toy-ndp",
    "a100-newton",
    "a100-aim",
    "a100-hbm_pim",
    "h200-aim",
    "rtx4090-newton",
    "pimflow",
    "pimflow-artifact",
    "cpu-pim",
    "toy_pim",
    "toy-tiers",
    "a100-uvm",
)
PROGRAM = f"{ROOT_WORD}/tests/fuzz/inputs/program.mlir"
"""A small program whose products may run on a PIM."""
TASKS = f"{ROOT_WORD}/tests/fuzz/inputs/tasks.mlir"
"""A small program at task level, with its own machine."""
KERNEL = f"{ROOT_WORD}/examples/gemv.pim.mlir"
MODEL = f"{ROOT_WORD}/examples/models/vgg16.onnx"

PIPELINES = (
    "canonicalize", "canonicalize,fuse", "fuse", "reduce-precision", "reduce-precision{to=f16}", "inline", "layout",
    "split{op=matmul}", "chain", "fuse,chain{stages=3}", "split{axis=1 at=0.3}",
    "canonicalize,fuse,reduce-precision,place", "place{policy=greedy}", "order", "place{policy=pim-first},to-pim",
    "to-pim", "offload", "place{policy=priority},order", "cse,dce", "gpu-only", "optimal", "pimflow",
    "to-ndp", "fuse,place{policy=pim-first split=true},to-ndp,forward-stores,number-values,split-outputs",
    "forward-stores,number-values", "number-values,forward-stores", "split-outputs",
    "swap", "prefetch", "prefetch{policy=pump}", "prefetch{policy=uvm reuse=false}", "place,prefetch{policy=lookahead}",
    "fuse,recompute", "pipeline-buffers", "detect-pipelines,enlarge-buffers,shift-copies", "wrap-indices",
)  # fmt: skip
TARGETS = (
    "timeline", "summary", "values", "perfetto", "dot", "onnx", "placement-graph", "profile-plan", "pim-trace",
    "readings", "banks", "commands", "explain", "mlir", "stablehlo", "ndp", "memory-svg",
)  # fmt: skip


def _text_files(*patterns: str, most: int = 4000) -> list[str]:
    found: list[str] = []
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            text = path.read_text(encoding="utf-8", errors="replace")
            if "Output" not in path.parts and 0 < len(text) <= most:
                found.append(text)
    return found


@cache
def programs() -> Sequence[str]:
    """The programs of lit tests and examples, without comments. A file with separators `// -----` contains several
    programs; a sample of those that expect an error is at the end."""
    found: list[str] = []
    refused: list[str] = []
    files = (path for folder in ("tests/lit", "examples", "interp/devices") for path in (ROOT / folder).rglob("*.mlir"))
    for path in sorted(files):
        if "Output" in path.parts:
            continue
        for part in path.read_text(encoding="utf-8", errors="replace").split("// -----"):
            lines = [line for line in part.splitlines() if line.strip() and not line.lstrip().startswith("//")]
            if 0 < len(text := "\n".join(lines)) < 3000:
                (refused if "expected-error" in part else found).append(text)
    return [*found, *refused[:: max(1, 8 * len(refused) // (len(found) or 1))]]


@cache
def _generic(text: str) -> str:
    """A program in the generic form; the text itself if it is no valid program."""
    from tests.fuzz.judge import generic_text

    try:
        return generic_text(ndpir.parse(text, "corpus.mlir"))
    except ndpir.InputError:
        return text


@cache
def _program_mutator() -> TextMutator:
    return TextMutator([*programs(), *map(_generic, programs()[::8])])


def mlir(random: Random) -> Case:
    """A case of a program of any level, in the pretty or generic form: parsed, printed, transformed, checked, or
    written by a target."""
    text = random.choice(programs())
    if random.random() < 0.25:
        text = _generic(text)
    mutator = _program_mutator()
    text = mutator.consistent(text, random) if random.random() < 0.5 else mutator(text, random)
    words = ("ndp-opt", "input.mlir", *_flags_of_program(random))
    if _LARGE.search(text):  # computing large tensors may rightly take minutes
        words = tuple("timeline" if word == "values" else word for word in words if word != "--check")
    return Case(words, "input.mlir", text.encode("utf-8", "surrogatepass"))


_LARGE = re.compile(r"(?<!\d)\d{4}(?!\d)")
"""A pattern of numbers with four digits: extents of tensors that fit into memory, but make a program slow."""


def _flags_of_program(random: Random) -> Words:
    chance = random.random()
    if chance < 0.35:
        return ()
    if chance < 0.4:
        return ("--print-op-generic",)
    words: list[str] = []
    if random.random() < 0.5:
        words += ["--machine", random.choice(MACHINES)]
    if random.random() < 0.8:
        words += ["-p", random.choice(PIPELINES)]
        if random.random() < 0.5:
            words += ["--check"]
    if random.random() < 0.5:
        words += ["-t", random.choice(TARGETS)]
    if random.random() < 0.1:
        words += ["--explain", random.choice(("", "x", "%0"))]
    if random.random() < 0.05:
        words += [
            random.choice(("--summary", "--split-input-file", "--verify-diagnostics", "--allow-unregistered-dialect"))
        ]
    return tuple(words)


def machine(random: Random) -> Case:
    """A case of a machine file, whose `hw` ops replace those of a program."""
    text = _program_mutator()(random.choice(_machines()), random)
    words = (
        "ndp-opt",
        PROGRAM,
        "--machine",
        "./input.mlir",
        "-p",
        random.choice(("offload", "place", "reduce-precision")),
        "--summary",
    )
    return Case(words, "input.mlir", text.encode("utf-8", "surrogatepass"))


@cache
def _machines() -> Sequence[str]:
    files = sorted((ROOT / "interp" / "devices").glob("*.mlir"))
    texts = [path.read_text(encoding="utf-8") for path in files]
    return [*texts, *("\n".join(line for line in text.splitlines() if not line.startswith("//")) for text in texts)]


@cache
def _models() -> Sequence[bytes]:
    """Small exported models, and programs of the corpus exported as models."""
    names = ("vgg16", "resnet18_dynbatch", "bert_2layer_opset23")
    found = [(ROOT / "examples" / "models" / f"{name}.onnx").read_bytes() for name in names]
    for text in programs()[::3]:
        if "graph." in text and not _LARGE.search(text):
            with suppress(ndpir.InputError), notes_to(lambda message, place: None):
                found.append(ndpir.write(ndpir.parse(text, "corpus.mlir"), "onnx").encode("latin-1"))
    return found


@cache
def _nodes() -> Sequence[bytes]:
    """Models of one operator each, from onnx's own tests, in which operands that decide shapes are initialisers;
    building them takes seconds."""
    cases = all_cases()
    operands = shape_inputs(cases)
    found: list[bytes] = []
    for case in cases:
        model = ModelProto()
        model.CopyFrom(case.model)
        names = [value.name for value in model.graph.input]
        bind(model, dict(zip(names, map(as_array, case.data_sets[0][0]), strict=True)), operands[case.name])
        if len(data := model.SerializeToString()) < 20_000:
            found.append(data)
    return found


def onnx(random: Random) -> Case:
    """A case of an ONNX model, with changed fields, so that it still decodes, or with changed bytes."""
    return _of_model(random.choice(_models()), random)


def node(random: Random) -> Case:
    """A case of an ONNX model with one of the standard's operators."""
    return _of_model(random.choice(_nodes()), random)


def _of_model(data: bytes, random: Random) -> Case:
    if random.random() < 0.8:
        model = ModelProto.FromString(data)
        mutate_message(model, random)
        data = model.SerializeToString()
    else:
        data = mutated_bytes(data, random)
    words = ["ndp-opt", "input.onnx"]
    if random.random() < 0.5:
        words += ["-p", random.choice(PIPELINES[:8])]
        words += ["--check"] if random.random() < 0.4 and len(data) < 5000 else []
    if random.random() < 0.2:
        words += ["--dim", random.choice(("batch=2", "N=0", "s0=99999999999"))]
    if random.random() < 0.3:
        words += ["--opaque"]
    if random.random() < 0.2:
        words += ["-t", random.choice(("onnx", "dot", "values" if len(data) < 5000 else "dot"))]
    return Case(tuple(words), "input.onnx", data)


@cache
def _hlo() -> Sequence[str]:
    """Small functions of JAX, random programs, and a program with large literals."""
    import numpy as np

    from tests.stablehlo_cases import DATA
    from tests.stablehlo_random import stored_programs

    with np.load(DATA) as file:
        cases = [str(file[key]) for key in file.files if key.endswith("/text")]
    literals = (ROOT / "tests/lit/ndpir/driver/stablehlo_literals.mlir").read_text(encoding="utf-8")
    small = [text for text in (*cases, *(each.text for each in stored_programs())) if len(text) < 4000]
    return [*small, *[literals[literals.index("func.func public") :]] * 5]


@cache
def _hlo_mutator() -> TextMutator:
    return TextMutator(_hlo())


def stablehlo(random: Random) -> Case:
    """A case of a StableHLO program, in the pretty or generic form: read, transformed, checked or written."""
    text, mutator = random.choice(_hlo()), _hlo_mutator()
    text = mutator.consistent(text, random) if random.random() < 0.5 else mutator(text, random)
    words = ["ndp-opt", "input.mlir", "-f", "stablehlo"]
    if random.random() < 0.5:
        words += ["-p", random.choice(PIPELINES[:8])]
        words += ["--check"] if random.random() < 0.4 and not _LARGE.search(text) else []
    if random.random() < 0.5:
        words += ["-t", random.choice(("stablehlo", "dot", "dot" if _LARGE.search(text) else "values"))]
    return Case(tuple(words), "input.mlir", text.encode("utf-8", "surrogatepass"))


@cache
def _bytecodes() -> Sequence[bytes]:
    """Small functions of JAX in MLIR's bytecode; none without jaxlib."""
    if find_spec("jaxlib") is None:
        return [b"ML\xefR\r"]
    from ndpir.frontends.bytecode import mlir

    ir, context = mlir()
    found: list[bytes] = []
    for text in _hlo()[:80:2]:
        file = BytesIO()
        ir.Module.parse(text, context).operation.write_bytecode(file)
        found.append(file.getvalue())
    return found


def bytecode(random: Random) -> Case:
    """A case of a StableHLO program in MLIR's bytecode."""
    data = random.choice(_bytecodes())
    if random.random() < 0.4:
        return Case(("ndp-opt", "input.mlirbc"), "input.mlirbc", mutated_bytes(data, random))
    found = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):  # of the same length, so that most sections are still found
        found[random.randrange(len(found))] = random.choice((0, 1, 3, 0x7F, 0xFF, random.randrange(256)))
    return Case(("ndp-opt", "input.mlirbc"), "input.mlirbc", bytes(found))


@cache
def _sheets() -> Sequence[str]:
    """Shipped sheets, as whole files and device by device."""
    whole = [*_text_files("interp/devices/*.sheet", "tests/lit/**/*.sheet", "examples/**/*.sheet", most=100_000)]
    single: list[str] = []
    for text in whole:
        starts = [
            at
            for at in range(len(text))
            if text.startswith(("device ", "link ", "engine "), at) and (at == 0 or text[at - 1] == "\n")
        ]
        single += [text[a:b] for a, b in pairwise([*starts, len(text)])]
    return [text for text in (*whole, *single * 3) if len(text) < 30_000]


@cache
def _sheet_mutator() -> TextMutator:
    return TextMutator(_sheets())


def sheet(random: Random) -> Case:
    """A case of a data sheet that is printed, or used by a program."""
    text = random.choice(_sheets())
    if random.random() < 0.7:  # without comments, which the tools ignore
        text = "\n".join(line.partition("#")[0].rstrip() for line in text.split("\n") if line.partition("#")[0].strip())
    heads = [
        line.split()[1] for line in text.split("\n") if line.startswith(("device ", "link ")) and len(line.split()) > 1
    ]
    name = f"./input.sheet:{random.choice(heads)}" if heads else "./input.sheet"
    text = _sheet_mutator()(text, random)
    chance = random.random()
    if chance < 0.5:
        words = ("ndp-opt", "--show-device", name)
    elif chance < 0.8:
        words = ("ndp-opt", PROGRAM, "--machine", name, "-p", random.choice(("offload", "place")), "--summary")
    else:
        words = (
            "ndp-opt",
            random.choice((KERNEL, TASKS)),
            "--machine",
            name,
            "-t",
            random.choice(("timeline", "banks")),
        )
    return Case(words, "input.sheet", text.encode("utf-8", "surrogatepass"))


@cache
def _calibrations() -> Sequence[str]:
    return _text_files("interp/devices/calibrations/*.calibration", "tests/lit/**/*.calibration", most=100_000)


@cache
def _calibration_mutator() -> TextMutator:
    return TextMutator([text for text in _calibrations() if len(text) < 30_000])


def calibration(random: Random) -> Case:
    """A case of a GPU's calibration in the program's folder, by which its kernels are timed."""
    text = random.choice(_calibrations())
    lines = text.split("\n")
    classes = [at for at, line in enumerate(lines) if line.lstrip().startswith("class ")]
    if classes and random.random() < 0.8:  # one class alone, for the GPU of the machine
        at = random.choice(classes)
        end = next((other for other in classes if other > at), len(lines))
        lines = ["", *lines[at:end]]
    owner = random.choice(_gpu_names())
    lines[0] = f'calibration {"family" if owner in ARCHITECTURES else "gpu"} {owner} "mutated"'
    text = _calibration_mutator()("\n".join(lines), random)
    words = (
        "ndp-opt",
        PROGRAM,
        "--machine",
        "a100-newton",
        "-p",
        "gpu-only",
        "-t",
        random.choice(("timeline", "explain")),
    )
    return Case(words, random.choice(_gpu_names()) + ".calibration", text.encode("utf-8", "surrogatepass"))


@cache
def _gpu_names() -> Sequence[str]:
    """Names that the calibrations of the machine's GPU may have."""
    from interp.machine.sheets import load_device

    gpu = load_device("a100")
    return (gpu.name, *getattr(gpu, "bases", ()), "ampere")


@cache
def _profiles() -> Sequence[str]:
    texts = _text_files("tests/fuzz/inputs/*.profile.json", "tests/lit/**/Inputs/*.json", most=30_000)
    whole = json.loads((ROOT / "tests/data/profile/bert_2layer.profile.json").read_text(encoding="utf-8"))
    for key in ("rows", "copies"):
        if key in whole:
            whole[key] = whole[key][:4]
    return [*(text for text in texts if _is_json(text)), json.dumps(whole)]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@cache
def _json_words() -> Sequence[str]:
    from tests.fuzz.mutate import TOKEN

    return sorted(
        {token.strip('"') for text in (*_profiles(), *_plans()) for token in TOKEN.findall(text) if token[0] == '"'}
    )


def _json_case(text: str, random: Random) -> bytes:
    if random.random() < 0.75:
        return mutated_json(text, random, _json_words()).encode("utf-8", "surrogatepass")
    return TextMutator([text])(text, random).encode("utf-8", "surrogatepass")


def profile(random: Random) -> Case:
    """A case of a profile: measured costs by which a program is placed."""
    data = _json_case(random.choice(_profiles()), random)
    machine = random.choice(("toy", "toy", "cpu-pim", "a100-newton"))
    words = ("ndp-opt", PROGRAM, "--machine", machine, "--profile", "input.json", "-p", "place{policy=greedy}")
    return Case((*words, "-t", random.choice(("timeline", "summary", "mlir"))), "input.json", data)


@cache
def _plans() -> Sequence[str]:
    module = ndpir.compile(
        ndpir.read(ROOT / "tests/fuzz/inputs/program.mlir"), "canonicalize,fuse,reduce-precision", machine="toy"
    )
    return [ndpir.write(module, "profile-plan{json=true}")]


def plan(random: Random) -> Case:
    """A case of a plan of profiling runs, on a simulated machine."""
    data = _json_case(random.choice(_plans()), random)
    words = ("ndp-profile", PROGRAM, "--machine", "toy", "--plan", "input.json", "--repeats", "1", "--warmup", "0")
    return Case(words, "input.json", data)


TRACES = {
    "newton": ("newton", "pimflow"),
    "pimflow": ("pimflow_newton", "newton_pimflow"),
    "aim": ("aim", "aim_ramulator"),
}
"""Folders of traces under tests/data, and sheets with their trace format."""


@cache
def _traces() -> Sequence[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for folder in ("newton", "pimflow", "aim/traces", "attacc/traces"):
        for path in sorted((ROOT / "tests/data" / folder).glob("*")):
            if path.suffix in (".trace", ".pim"):
                lines = path.read_text(encoding="utf-8").splitlines()
                found.append((folder.partition("/")[0], "\n".join(lines[:80] + lines[-1:]) + "\n"))
    return found


@cache
def _trace_mutator() -> TextMutator:
    return TextMutator([text for _, text in _traces()])


SPEAKERS = {
    "newton": ("newton", "newton_ramulator", "a100-newton"),
    "pimflow": ("newton", "pimflow"),
    "aim": ("aim", "aim_ramulator", "a100-aim"),
    "attacc": ("attacc", "attacc_ramulator", "attacc_bg_ramulator"),
}
"""By vendor, sheets and machines with the vendor's trace format; most cases of the vendor's traces use one of them."""


def trace(random: Random) -> Case:
    """A case of a vendor's command trace, for a device with this trace format or, less often, for another one."""
    vendor, text = random.choice(_traces())
    speaker = random.choice(SPEAKERS[vendor]) if random.random() < 0.85 else random.choice(MACHINES)
    text = _trace_mutator()(text, random)
    target = random.choice(("timeline", "pim-trace", "mlir", "banks", "values", "readings"))
    suffix = random.choice(("trace", "pim"))
    words = ("ndp-opt", f"input.{suffix}", "--machine", speaker, "-t", target)
    return Case(
        words if random.random() < 0.95 else words[:2], f"input.{suffix}", text.encode("utf-8", "surrogatepass")
    )


LINES: tuple[Words, ...] = (
    *(
        (*line.split("|"),)
        for line in f"""\
ndp-opt|{TASKS}|--set|pim.tCCD=2|--set|gpu.launch=1e-6|-t|timeline|--timing
ndp-opt|{TASKS}|--explain|matmul|-t|perfetto|-o|out.json
ndp-opt|{PROGRAM}|-p|place{{policy=greedy}},order,to-pim|--machine|toy-simd|--check|--summary
ndp-opt|{PROGRAM}|-p|place{{policy=best limit=1}},order|--machine|toy|-t|timeline{{entry=main}}
ndp-opt|{PROGRAM}|-p|split{{op=matmul axis=1 at=0.5}},chain{{stages=3}}|--machine|toy
ndp-opt|{PROGRAM}|-p|canonicalize{{fold=true cse=false}},fuse{{group=false}},reduce-precision{{to=bf16}}|--machine|toy
ndp-opt|{PROGRAM}|--machine|a100-newton|--set|newton.tRP=20|--set|newton.channels=8|-p|offload|--summary
ndp-opt|{PROGRAM}|--machine|a100-aim|--set|on_board.bandwidth=1 GB/s|-p|offload
ndp-opt|{PROGRAM}|--print-ir-after|fuse|--print-ir-before-all|-p|canonicalize,fuse|--seed|3
ndp-opt|{PROGRAM}|--print-op-generic|--print-debuginfo|--print-no-properties|-o|out.mlir
ndp-opt|{PROGRAM}|-f|mlir|--split-input-file|--verify-diagnostics|--disable-verify
ndp-opt|{MODEL}|--dim|batch=1|--shape|image=1x3x32x32|-p|canonicalize
ndp-opt|--list-passes|--list-targets
ndp-opt|--list-pipelines|--list-devices
ndp-opt|--list-ops|matmul
ndp-opt|--show-device|aim|--set|aim.tCCD=3
ndp-calibrate|{ROOT_WORD}/examples/measured_a100.csv|--device|a100_40_pcie|--holdout|0.2|--only|gelu
ndp-calibrate|--list-classes
ndp-profile|{PROGRAM}|--machine|toy|--repeats|1|--warmup|0|--together|-o|out.json
ndp-profile|{PROGRAM}|--machine|toy|-p|canonicalize|--set|toy_gpu.launch=1|--measured-only
""".splitlines()
    ),
    *(("ndp-opt", PROGRAM, "--machine", "toy", "-p", passes) for passes in PIPELINES),
    *(("ndp-opt", TASKS, "-t", target) for target in TARGETS),
)
"""Command lines from which words and parts of words are drawn."""


@cache
def _line_mutator() -> TextMutator:
    return TextMutator([word for line in LINES for word in line if "/" not in word])


def line(random: Random) -> Case:
    """A case of a command line with words removed, duplicated, swapped or replaced, or with changed text in a word,
    such as options of passes."""
    words = list(random.choice(LINES))
    for _ in range(random.randint(1, 3)):
        at = random.randrange(1, len(words)) if len(words) > 1 else 0
        others = random.choice(LINES)
        match random.randrange(8):
            case 0 if at:
                del words[at]
            case 1:
                words.insert(at + 1, words[at])
            case 2 if at:
                other = random.randrange(1, len(words))
                words[at], words[other] = words[other], words[at]
            case 3 if at:
                words[at] = random.choice(others[1:])
            case 4:
                words.insert(at + 1, random.choice(others[1:]))
            case _:
                free = [index for index, word in enumerate(words) if index and not word.startswith(ROOT_WORD)]
                if free:
                    index = random.choice(free)
                    words[index] = _line_mutator()(words[index], random, 2).replace("\0", "?")
    if not _is_harmless(words):
        return line(random)
    return Case(tuple(words), "input.mlir", b"")


def _is_harmless(words: Sequence[str]) -> bool:
    """True if a command writes nothing outside of the folder, and starts no plugin, server or long measurement."""
    for at, word in enumerate(words):
        if word.startswith(("-o", "--o")) and "/" in "".join(words[at : at + 2]):
            return False
        if word.startswith(("--plugin", "--sheets")):
            return False
    return words[0] != "ndp-profile" or "toy" in words


@cache
def _tables() -> Sequence[str]:
    rows = (ROOT / "examples/measured_a100.csv").read_text(encoding="utf-8").splitlines()
    lit = _text_files("tests/lit/**/Inputs/*.csv")
    return ["\n".join(rows[:12]) + "\n", "\n".join([*rows[:3], *rows[-6:]]) + "\n", *lit]


@cache
def _table_mutator() -> TextMutator:
    return TextMutator(_tables())


def csv(random: Random) -> Case:
    """A case of a table of measurements to which constants are fitted."""
    text = _table_mutator()(random.choice(_tables()), random)
    words = ("ndp-calibrate", "input.csv", "--device", "a100_40_pcie", "-o", random.choice(("out.calibration", "-")))
    return Case(words, "input.csv", text.encode("utf-8", "surrogatepass"))


KINDS: dict[str, tuple[int, Kind]] = {
    "mlir": (40, mlir),
    "machine": (4, machine),
    "onnx": (12, onnx),
    "node": (10, node),
    "sheet": (8, sheet),
    "calibration": (3, calibration),
    "profile": (5, profile),
    "plan": (4, plan),
    "trace": (10, trace),
    "line": (10, line),
    "csv": (3, csv),
    "stablehlo": (12, stablehlo),
    "bytecode": (3, bytecode),
    **data_files.KINDS,
}
"""The kinds with their relative frequencies in a run of all kinds."""


def draw(kind: str, seed: int, number: int) -> Case:
    """The case with a number in the sequence of a kind and a seed; always the same for equal arguments."""
    return KINDS[kind][1](Random(f"{kind} {seed} {number}"))


def kind_of(seed: int, number: int, among: Sequence[str]) -> str:
    """The kind of case `number` in a run over the kinds `among`."""
    (kind,) = Random(f"kind {seed} {number}").choices(among, [KINDS[each][0] for each in among])
    return kind

"""Tests of the compilation engine: all forms of requests, and the compilation of many variants of a program, each of
which must equal a single run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

import ndpir
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.simulation import simulate
from lowering.alone.primary_alone import baselines_unread
from lowering.graph.canonicalize import CanonicalizePass
from lowering.graph.fuse import FusePass
from lowering.place.place import PlacePass
from ndpir.cli.opt import main
from ndpir.compiler.compilation import Request, Variants, machine_facts
from ndpir.registry.names import Registry
from ndpir.registry.universe import PASSES
from ndpir.reports.document import document_of_answer

ROOT = Path(__file__).parents[3]
PROGRAM = """\
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<64x64xf32>
  %h = graph.matmul %x, %w : tensor<1x64xf32>, tensor<64x64xf32>
  %r = graph.relu %h : tensor<1x64xf32>
  %y = graph.matmul %r, %w : tensor<1x64xf32>, tensor<64x64xf32>
  func.return %y : tensor<1x64xf32>
}
"""
MACHINE = """\
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
"""


@pytest.fixture(scope="module")
def program() -> ModuleOp:
    return ndpir.parse(PROGRAM)


def test_passes_in_all_forms_are_equal(program: ModuleOp) -> None:
    objects: list[ModulePass] = [CanonicalizePass(), FusePass(), PlacePass(policy="greedy")]
    texts = [
        ndpir.write(ndpir.compile(program, passes, machine="a100-newton"))
        for passes in (
            "canonicalize,fuse,place{policy=greedy}",
            objects,
            PassPipeline(tuple(objects)),
            ["canonicalize,fuse", objects[2]],
        )
    ]
    assert len(set(texts)) == 1
    assert "task.run" in texts[0]


def test_settings_in_all_forms_are_equal(program: ModuleOp) -> None:
    faster, texts = (
        ndpir.compile(program, machine="a100-aim", settings={"aim.tCCD": 1, "pim.channels": 8}),
        ["pim.channels=8"],
    )
    same = ndpir.compile(program, machine="a100-aim", settings=["aim.tCCD=1", *texts])
    assert ndpir.write(faster) == ndpir.write(same) != ndpir.write(ndpir.compile(program, machine="a100-aim"))


def test_sheets_and_machines_of_a_folder(program: ModuleOp, tmp_path: Path) -> None:
    (tmp_path / "mypim.sheet").write_text("device mypim = toy_pim with clock 2 GHz\n")
    (tmp_path / "mine.mlir").write_text(MACHINE.replace("toy_pim", "mypim"))
    placed = ndpir.compile(program, "place{policy=gpu}", machine="mine", sheets=[tmp_path])
    assert 'hw.device @pim = "mypim"' in ndpir.write(placed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"passes": PlacePass}, "it is the class PlacePass; write PlacePass()"),
        ({"passes": ["fuse", 3]}, "passes[1]: a pass, or its text as after -p, is expected here, but it is 3"),
        ({"passes": ["fuse", "fus"]}, "passes[1]:1:1: unknown pass `fus`; did you mean `fuse`?"),
        ({"settings": ["tCCD"]}, "settings: `tCCD` is not NAME.FIELD=VALUE, as in aim.tCCD=1"),
        ({"settings": {"aim.tCC": 1}, "machine": "a100-aim"}, "settings:1:5: there is no field `tCC`"),
        ({"profiles": ["nosuch.json"]}, "nosuch.json"),
        ({"sheets": ["nosuch"]}, "nosuch: there is no folder of data sheets at this path"),
    ],
)
def test_errors_name_the_argument(program: ModuleOp, arguments: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"passes": "place", "machine": "toy", **arguments}
    with pytest.raises(ndpir.InputError) as caught:
        ndpir.compile(program, **given)  # pyright: ignore[reportArgumentType]
    assert message in str(caught.value)


class Breaking(ModulePass):
    """A pass whose result the verifier rejects."""

    name = "breaking"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = next(each for each in op.walk() if each.name == "func.func").regions[0].block
        last = block.last_op
        assert last is not None
        last.detach()


def test_a_defective_pass_is_named(program: ModuleOp) -> None:
    with pytest.raises(ndpir.InputError, match="pass breaking left a program that does not verify: <text>:5:8: "):
        ndpir.compile(program, Breaking())


REQUESTS = [
    Request(passes, machine, settings, keep_types=keep)
    for machine, settings in (
        ("a100-newton", {}),
        ("a100-aim", {"pim.tCCD": 3, "gpu.launch": "9 us"}),
        (None, {}),
    )
    for passes, keep in (("offload", False), ("canonicalize,place", True), ("split,place", False))
]


@pytest.mark.slow
@pytest.mark.parametrize("own", ["", MACHINE])
def test_variants_equal_single_runs(own: str) -> None:
    """The program and the baseline of each variant equal those of a single run to the last digit, whichever variants
    were compiled before."""
    program = ndpir.parse(own + PROGRAM)
    variants = Variants(program, Registry())
    for request in (*REQUESTS, *reversed(REQUESTS)):
        given = {"machine": request.machine, "settings": request.settings, "keep_types": request.keep_types}
        single = ndpir.compile(program, request.passes, **given)  # pyright: ignore[reportArgumentType]
        assert ndpir.write(variants.compiled(request)) == ndpir.write(single)


def test_variants_share_passes_that_read_nothing_of_the_machine(
    program: ModuleOp, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []
    fuse = FusePass.apply

    def counted(self: FusePass, ctx: Context, op: ModuleOp) -> None:
        runs.append(self.name)
        fuse(self, ctx, op)

    monkeypatch.setattr(FusePass, "apply", counted)
    monkeypatch.setattr("lowering.graph.rewriting.ADDED", {})  # other tests may have loaded plugins with patterns
    variants = Variants(program, Registry())
    texts: set[str] = set()
    for channels in (4, 8):
        request = Request("canonicalize,reduce-precision,fuse", "a100-newton", {"pim.channels": channels})
        texts.add(ndpir.write(variants.compiled(request)))
    assert len(texts) == 2
    assert runs == ["fuse"]


def test_passes_without_a_statement_are_not_shared(program: ModuleOp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowering.graph.rewriting.ADDED", {})
    assert machine_facts(CanonicalizePass(), program) == ()
    assert machine_facts(PlacePass(), program) is None
    assert machine_facts(Breaking(), program) is None


def _text_without_machine(module: ModuleOp) -> str:
    return "\n".join(line for line in ndpir.write(module).splitlines() if "hw." not in line)


@pytest.mark.slow
@pytest.mark.parametrize("example", ["encoder_layer.mlir", "models/mlp_step.mlir"])
def test_passes_that_read_nothing_give_the_same_on_every_machine(example: str) -> None:
    program, registry = ndpir.read(ROOT / "examples" / example), Registry()
    names = [name for name in PASSES if not getattr(registry.load_pass(name), "READS_MACHINE", True)]
    assert sorted(names) == ["canonicalize", "chain", "fuse", "inline", "layout", "split", "state", "unquantize"]
    passes = "inline,canonicalize,fuse,chain{axis=1},split{at=0.25},layout"
    with baselines_unread():
        texts = {
            _text_without_machine(ndpir.compile(program, passes, machine=machine))
            for machine in ("a100-newton", "a100-aim", "v100-ndpx", "toy-simd")
        }
    assert len(texts) == 1


def test_the_program_keeps_its_own_machine(program: ModuleOp) -> None:
    variants, before = Variants(program, Registry()), ndpir.write(program)
    variants.compiled(Request("canonicalize", "a100-newton"))
    assert ndpir.write(variants.program) == before


def test_an_error_leaves_other_variants_intact(program: ModuleOp) -> None:
    variants = Variants(program, Registry())
    for _ in range(2):
        with pytest.raises(ndpir.InputError, match="nosuch"):
            variants.compiled(Request("offload", "nosuch"))
    text = ndpir.write(variants.compiled(Request("offload", "a100-newton")))
    assert text == ndpir.write(ndpir.compile(program, "offload", machine="a100-newton"))


def test_a_replanned_summary_equals_that_of_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(tmp_path / "small.mlir")
    Path(path).write_text(PROGRAM.replace("64", "2048"))  # so large that the PIM is used, and its launch matters
    assert main([path, "-p", "offload", "--machine", "a100-newton", "--replan", "-t", "summary{json}"]) == 0
    printed = json.loads(capsys.readouterr().out)
    placed = ndpir.compile(path, "offload", machine="a100-newton")
    found = ndpir.answer(placed, replan=True)
    assert any(each.replanned for each in found.assumptions.found)
    assert json.loads(document_of_answer("summary", found)) == printed
    assert not any(each.replanned for each in ndpir.answer(placed).assumptions.found)
    with pytest.raises(ndpir.InputError, match="needs a program that ndpir"):
        ndpir.answer(placed.clone(), replan=True)


def test_outputs_of_one_command_share_the_timeline(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    simulated: list[ModuleOp] = []

    def counted(module: ModuleOp, *rest: Any) -> Timeline:
        simulated.append(module)
        return simulate(module, *rest)

    monkeypatch.setattr("ndpir.reports.run.simulate", counted)
    words = [str(ROOT / "examples" / "mlp.mlir"), "-p", "offload", "--machine", "a100-newton"]
    assert main([*words, "--summary", "--explain", "", "-t", "timeline"]) == 0
    assert len(simulated) == 1
    together = capsys.readouterr()
    assert main([*words, "--summary"]) == 0
    assert capsys.readouterr().out in together.err

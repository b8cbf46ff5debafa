"""The example profile in the repository: its rows match the ops of its program, and `place` uses them."""

from __future__ import annotations

import pytest

import ndpir
from interp.machine.profile_file import read_profile
from interp.walk.entry import entry_of
from interp.walk.work_key import key_of
from lowering.banks.templates import clock_for
from lowering.instance.of_program import PlacementProblem
from ndpir.cli.opt import main
from ndpir.cli.profile import PASSES

PROFILE, MODEL = "tests/data/profile/bert_2layer.profile.json", "examples/models/bert_2layer_opset23.onnx"


def test_each_op_has_a_row() -> None:
    profile = read_profile(PROFILE)
    module = ndpir.compile(ndpir.read(MODEL), PASSES, machine="cpu-pim")
    problem = PlacementProblem(entry_of(module), clock_for(module))
    parts = [part for node in problem.nodes for choice in node.choices for part in choice.parts if not part.view]
    real = {(part.device, key_of(part.graph_op)) for part in parts if part.device != "pim"}
    assert {(row.device, row.key) for row in profile.rows} == real
    assert {row.kind for row in profile.rows} == {"measured"}
    run = profile.header["run"]
    assert isinstance(run, dict)
    assert run["passes"] == PASSES


@pytest.mark.slow
def test_placement_with_measured_and_simulated_devices(capsys: pytest.CaptureFixture[str]) -> None:
    words = [MODEL, "--machine", "cpu-pim", "--profile", PROFILE, "-p", f"{PASSES},place{{policy=path}}", "--summary"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    message = next(line for line in out.splitlines() if line.startswith("costs"))
    assert " tasks measured (" in message
    assert " by the sheets" in message
    assert "match no op" not in err

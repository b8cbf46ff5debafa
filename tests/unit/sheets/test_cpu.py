"""Processors with measurement settings in their sheets, the machine `cpu-pim`, and copies within one memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from interp.kinds.clock import Clock
from interp.kinds.pages import describe
from interp.machine.composition import Machine, machine_ops
from interp.machine.records import Gpu
from interp.machine.sheets import load_device, load_link
from interp.simulate.schedule.arbitration import EVERYTHING, rules_of
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Schedule
from lowering.machine.digest import digest
from lowering.optimise.policies import POLICIES
from tests.laws.placement.test_policies import function_of
from tests.programs import parse

PROGRAM = """
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = graph.relu %x : tensor<8x8xf32>
  func.return %y : tensor<8x8xf32>
}"""


def cpu_pim() -> Machine:
    module = parse(PROGRAM)
    module.body.block.insert_ops_before(machine_ops("cpu-pim"), function_of(module))
    return Machine.of(module)


def cpu(name: str, **changes: int | str) -> Gpu:
    record = load_device(name, {key.replace("_", "."): value for key, value in changes.items()})
    assert isinstance(record, Gpu)
    return record


def test_a_processors_sheet_states_runtime_and_threads() -> None:
    serial, parallel = cpu("cpu_serial"), cpu("cpu_parallel")
    assert (serial.kind, serial.measures, serial.threads_used) == ("cpu", "onnxruntime", 1)
    assert (parallel.kind, parallel.measures, parallel.threads_used) == ("cpu", "onnxruntime", 0)
    assert (cpu("toy_gpu").measures, cpu("toy_gpu").executor) == ("", "parallel")
    assert cpu("cpu_serial", measures_threads=4).threads_used == 4
    assert cpu("cpu_serial", measures_threads="all").threads_used == 0
    assert "measures threads  all" in describe("cpu_parallel")
    assert "measures threads  1" in describe("cpu_serial")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("measures onnx", "`measures` must be one of onnxruntime, not `onnx`"),
        ("measures onnxruntime threads 0", "0 was met, but a number above 0 is expected"),
        ("measures onnxruntime threads 1.5", "threads that this runtime uses, .* must be a whole number, not 1.5"),
        ("measures onnxruntime threads some", "there is no timing parameter `some`"),
        ("measures onnxruntime cores 1", "met `cores`"),
        ("executor concurrent", "`executor` must be one of parallel, sequential, not `concurrent`"),
    ],
)
def test_invalid_settings_are_errors_at_their_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text(f"device mine = cpu_serial\n  {line}\n")
    with pytest.raises(InputError, match=message) as raised:
        load_device(str(path))
    assert raised.value.place is not None
    assert raised.value.place.startswith(f"{path}:2:")


def test_a_variant_can_restore_all_threads(tmp_path: Path) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text("device mine = cpu_serial\n  measures onnxruntime threads all\n")
    record = load_device(str(path))
    assert isinstance(record, Gpu)
    assert record.threads_used == 0


def test_f16_runs_at_the_rate_of_f32_on_half_of_the_bytes() -> None:
    clock = Clock(cpu_pim())
    wide = function_of(parse(PROGRAM.replace("8x8", "4096x4096"))).body.block.first_op
    half = function_of(parse(PROGRAM.replace("8x8", "4096x4096").replace("f32", "f16"))).body.block.first_op
    assert wide is not None
    assert half is not None
    for device in ("serial", "parallel"):
        record = clock.machine.devices[device]
        assert isinstance(record, Gpu)
        bytes_ns = 4096 * 4096 * 4 * 2 / record.bandwidth * 1e9
        assert clock.op_cost(wide, device).ns == pytest.approx(record.launch_ns + bytes_ns)
        assert clock.op_cost(half, device).ns == pytest.approx(record.launch_ns + bytes_ns / 2)
    small = function_of(parse(PROGRAM)).body.block.first_op
    assert small is not None
    assert clock.op_cost(small, "serial").bound == "launch"


def test_one_core_and_all_cores_share_a_memory_and_are_mutually_exclusive() -> None:
    machine = cpu_pim()
    clock = Clock(machine)
    assert machine.primary == "serial"
    for ends in (("serial", "parallel"), ("parallel", "serial")):
        cost = clock.copy_cost(1 << 34, *ends)
        assert (cost.ns, cost.energy_nj) == (0.0, 0.0)
    assert machine.link("serial", "parallel").name == load_link("same_memory").name
    rules = rules_of(machine)
    assert all(EVERYTHING in rules.locks[resource] for resource in (*machine.devices, "pim<->serial"))
    assert "serial and parallel" in rules.locks["parallel"]
    assert "serial and parallel" not in rules.locks["pim"]


def test_copies_from_all_cores_to_the_pim_pass_the_primary_device_at_the_cost_of_the_bus() -> None:
    problem = PlacementProblem(function_of(parse(PROGRAM)), Clock(cpu_pim()))
    assert [(a, b) for a, b, _ in problem.copies.hops("parallel", "pim")] == [("parallel", "serial"), ("serial", "pim")]
    assert problem.copy(1 << 20, "parallel", "pim").ns == problem.copy(1 << 20, "serial", "pim").ns > 0
    greedy = Schedule.of(POLICIES["greedy"](problem))
    assert problem.ends(greedy) == problem.serial_ns(greedy.placement) > 0


def test_measurement_settings_do_not_change_the_machine() -> None:
    plain = Machine.joined({"home": cpu("cpu_serial")}, {})
    assert digest(plain) == digest(Machine.joined({"home": cpu("cpu_serial", measures_threads=4)}, {}))
    assert digest(plain) != digest(Machine.joined({"home": cpu("cpu_serial", executor="parallel")}, {}))

"""Resources per channel of a PIM, which scale with the number of its channels."""

from __future__ import annotations

import pytest

import ndpir
from dialects.diagnostics import InputError
from dialects.hw import DeviceOp
from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.composition import Machine, machine_ops, record_of
from interp.machine.records import Pim
from interp.machine.sheets import list_devices, load_device
from lowering.banks.templates import clock_for

PIMS = [name for name, kind, _ in list_devices() if kind == "pim"]


def pim(name: str, **changes: int | str) -> Pim:
    record = load_device(name, changes)
    assert isinstance(record, Pim)
    return record


@pytest.mark.parametrize("name", PIMS)
def test_twice_the_channels_have_twice_the_power_and_capacity(name: str) -> None:
    one = pim(name)
    two = pim(name, channels=2 * one.channels)
    assert two.idle_w == pytest.approx(2 * one.idle_w)
    assert two.memory_bytes == 2 * one.memory_bytes


def test_each_cube_has_idle_power() -> None:
    """A cube has 0.4 W of idle power: IDD2N of 40 mA at 1.2 V for each of its 8 channels, plus refreshes."""
    devices = [op for op in machine_ops("a100-hbm_pim") if isinstance(op, DeviceOp)]
    cubes = record_of(devices[1])
    assert isinstance(cubes, Pim)
    refreshes = 128 * (2 * 8192 * 0.11e-12 * 8) / (3.9e-6)
    assert cubes.idle_w == pytest.approx(64 * 0.040 * 1.2 + refreshes, rel=0.01)


def test_power_must_state_whether_it_is_per_channel() -> None:
    assert pim("toy_pim", idle="2 W/device", channels=8).idle_w == 2.0
    assert pim("toy_pim", idle="2 W/channel", channels=8).idle_w == 16.0
    with pytest.raises(InputError, match=r"a power was met, but a power a channel \(W/channel\) or a power of a whole"):
        pim("toy_pim", idle="2 W")


def test_refreshes_are_counted_once_at_all_times_and_in_all_channels() -> None:
    """The device toy_managed spends 100 nJ on a refresh of each channel every 100 us, that is 1 mW per channel. This
    power is in the device's idle power, not in the energy of a kernel."""
    module = ndpir.parse("""
hw.device @pim = "toy_managed" {channels = 4, energy.load = "0 nJ", energy.bias = "0 nJ", energy.drain = "0 nJ"}
pim.kernel @k on @pim (%x: memref<4xf32>, %b: memref<2xf32>) -> (%y: memref<2xf32>) {
  pim.bias all from %b
  pim.for %i = 0 to 300000 {
    pim.load %x
  }
  pim.drain all to %y
}
""")
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    device = clock_for(module).machine.pim("pim", kernel)
    assert kernel_time(kernel, device).energy_nj["refresh"] > 0
    assert clock_for(module).kernel_cost(kernel).energy_nj == 0
    assert device.idle_w == pytest.approx(4 * 1e-3)


@pytest.mark.parametrize(("channels", "bandwidth"), [(16, 16 * 28e9), (8, 8 * 28e9)])
def test_a_links_bandwidth_scales_with_the_channels(channels: int, bandwidth: float) -> None:
    text = f"""
hw.device @gpu = "pimflow_gpu"
hw.device @pim = "newton" {{channels = {channels}}}
hw.link @gpu to @pim = "pimflow_channels"
"""
    assert Machine.of(ndpir.parse(text)).link("gpu", "pim").bandwidth == bandwidth


def test_a_link_with_bandwidth_per_channel_needs_a_pim() -> None:
    text = 'hw.device @a = "a100"\nhw.device @b = "a100"\nhw.link @a to @b = "on_board"'
    with pytest.raises(InputError, match="on_board has a bandwidth for each channel of a PIM, but @a is a gpu"):
        Machine.of(ndpir.parse(text))

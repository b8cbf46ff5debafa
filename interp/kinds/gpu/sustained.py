"""The clock rate that a board sustains under its power limit: kernels that would draw more power run slower.

A board's power is a floor (leakage, fans, idle memory), plus the energy of a kernel divided by its time. Energy of
arithmetic falls with the year of the architecture, a proxy for its process, and grows with the clock, since a higher
clock needs a higher voltage: power is proportional to the clock to the power b, between 1 (voltage at its minimum) and
3. A kernel with time t0 and energy E at the boost clock, and P watts available above the floor, then runs at the
fraction x of the boost clock, where

    E x^(b-1) / (t0 / x) = P    ->    t = t0 / x = t0 (E / (t0 P))^(1/b)
"""

from __future__ import annotations

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import Constant, Constants

YEAR, CLOCK_HZ = 2020, 1.41e9
"""The architecture's year and the clock for which `core_energy` and `matrix_energy` are stated. These energies include
moving operands through caches and registers. Matrix units accumulate in f32, so their energy depends little on the
type that they multiply."""

POWER_CONSTANTS = (
    Constant(
        "flop_energy", "", 1, 0.5, 4, "energy of an operation, relative to GPUs of the same process year and clock"
    ),
    Constant(
        "byte_energy", "pJ/B", 60, 10, 300, "energy of a byte from or to DRAM, with interface and controller", True
    ),
    Constant(
        "idle_power", "", 0.1, 0.02, 0.7, "share of the board's power limit that is not available to kernels", True
    ),
    Constant("board_power", "W", 20, 0, 100, "additional power of any board, not available to kernels", True),
    Constant("core_energy", "pJ", 12, 1, 50, "energy of an operation of the cores, in 2020 at 1.41 GHz", True),
    Constant("matrix_energy", "pJ", 0.7, 0.05, 5, "energy of an operation of matrix units, in 2020 at 1.41 GHz", True),
    Constant("energy_halving", "years", 6, 1, 20, "time in which newer processes halve both", True),
    Constant("clock_power", "", 2.4, 1.2, 3, "exponent of power as a function of the clock rate", True),
)


def slowdown(ns: Floats, flops: Floats, dram_bytes: Floats, chip: Chip, constants: Constants) -> Floats:
    """The factor by which the board's power limit lengthens kernels that take `ns` at the boost clock. The resulting
    time is monotone in `ns`, operations and bytes. A sheet without a power limit has no slowdown."""
    spent = flops * flop_pj(chip, constants) + dram_bytes * constants["byte_energy"]
    limit = np.where(chip.tdp_w > 0, chip.tdp_w, np.inf) * (1 - constants["idle_power"]) - constants["board_power"]
    limit = np.maximum(limit, 0.1 * chip.tdp_w)
    over = spent * 1e-3 / (limit * np.maximum(ns, 1e-9))  # pJ / (W ns)
    return np.maximum(over, 1) ** (1 / constants["clock_power"])


def flop_pj(chip: Chip, constants: Constants) -> Floats:
    """Energy of an operation at the boost clock, pJ."""
    plain = np.where(chip.has_matrix > 0, constants["matrix_energy"], constants["core_energy"])
    process = 0.5 ** ((chip.year - YEAR) / constants["energy_halving"])
    plain = plain * constants["flop_energy"]
    return plain * process * (chip.clock_hz / CLOCK_HZ) ** (constants["clock_power"] - 1)

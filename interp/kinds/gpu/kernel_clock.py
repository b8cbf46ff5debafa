"""Times graph ops on a GPU with the kernel class models: one numpy call for all kernels of a class and element type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from interp.cost.model import CostModel
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.known import KnownConstants, constants_for, power_in_words
from interp.kinds.gpu.kernel_class import Estimate, KernelClass
from interp.kinds.gpu.kernels import FUSED_CLASSES, MATRIX_CLASSES, Kernel, kernels_of, written_out
from interp.kinds.gpu.power import BOARD, Activity, board_power, component_energy
from interp.kinds.gpu.timed import Timed
from interp.machine.cost import Cost, total
from interp.machine.records import Gpu
from interp.walk.entry import is_skipped

_SEARCHED = "searched"
"""The name of the column that is 1 if the library benchmarks its algorithms, 0 if it chooses by a fixed rule."""


class KernelClock(CostModel):
    """Costs of graph ops on one GPU."""

    by_sheet = True
    timed_by = "models of library kernels"

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self._chips: dict[str, Chip] = {}
        self._known: dict[tuple[str, str], KnownConstants] = {}
        self._power_words: dict[tuple[str, str], str] = {}
        self.board = constants_for(gpu, BOARD.name, BOARD.element)
        """Constants of the board's power."""

    @property
    def board_idle_w(self) -> float:
        """Power of the board while no kernel runs, W."""
        nothing = Activity(*(np.zeros(1) for _ in range(3)), ns=np.ones(1))
        return float(board_power(nothing, self.chip("f32"), self.board.constants).idle_w[0])

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> list[Cost]:
        """The cost of each op."""
        return [total(_cost(timed) for timed in each) for each in self.kernels(ops)]

    def timed(self, op: GraphOp | FusedOp) -> list[Timed]:
        """The kernels of one op, each with its time."""
        return self.kernels([op])[0]

    def kernels(self, ops: Sequence[GraphOp | FusedOp]) -> list[list[Timed]]:
        """The kernels of each op, each with its time; operands are not in L2 at the start."""
        launched = [() if is_skipped(op, self.gpu.skips) else kernels_of(op) for op in ops]
        found = [[self._contracted(kernel) for one in each for kernel in self._existing(one)] for each in launched]
        kernels = [kernel for each in found for kernel in each]
        fused = self._fused_ns(kernels)
        of_class: dict[tuple[str, str], list[int]] = {}
        for number, kernel in enumerate(kernels):
            of_class.setdefault((kernel.kernel_class, kernel.element), []).append(number)
        timed: dict[int, Timed] = {}
        for (name, element), numbers in of_class.items():
            known = self.known(name, element)
            those = [kernels[number] for number in numbers]
            estimate = self._estimate(CLASSES[name], element, [kernel.numbers for kernel in those], known.constants)
            for number, one in zip(numbers, self._of_one_class(those, estimate, known, fused[numbers]), strict=True):
                timed[number] = one
        ordered = iter(timed[number] for number in range(len(kernels)))
        return [[next(ordered) for _ in each] for each in found]

    def known(self, kernel_class: str, element: str) -> KnownConstants:
        """The constants of a class and element type, cached because calibrations are files."""
        key = (kernel_class, element)
        if key not in self._known:
            self._known[key] = constants_for(self.gpu, kernel_class, element)
        return self._known[key]

    def _power_in_words(self, kernel_class: str, element: str) -> str:
        """The origin of the board's power for a class and element type, cached like `known`."""
        key = (kernel_class, element)
        if key not in self._power_words:
            self._power_words[key] = power_in_words(self.gpu, kernel_class, element)
        return self._power_words[key]

    def _existing(self, kernel: Kernel) -> tuple[Kernel, ...]:
        """A kernel, or the several kernels that a library runs instead, since none of its class was ever measured in
        its element type: f32, for which FlashAttention and cuDNN have no fused attention."""
        if kernel.kernel_class not in FUSED_CLASSES:
            return (kernel,)
        contracted = self._contracted(kernel)
        is_known = self.known(contracted.kernel_class, contracted.element).of_type
        return (kernel,) if is_known else written_out(kernel)

    def _contracted(self, kernel: Kernel) -> Kernel:
        """A kernel with the element type in which the sheet lets contractions be computed, and with the column that
        states if the library benchmarks its algorithms."""
        if not self.gpu.searches and any(column.name == _SEARCHED for column in CLASSES[kernel.kernel_class].columns):
            kernel = replace(kernel, numbers={**kernel.numbers, _SEARCHED: 0})
        if kernel.kernel_class in MATRIX_CLASSES and self.gpu.multiplies_in(kernel.element) != kernel.element:
            return replace(kernel, element=self.gpu.multiplies_in(kernel.element))
        if kernel.element == "f32" and kernel.kernel_class in MATRIX_CLASSES and "tf32" in self.gpu.matrix_rates:
            return replace(kernel, element=self.gpu.contract)
        return kernel

    def _of_one_class(
        self, kernels: Sequence[Kernel], estimate: Estimate, known: KnownConstants, fused_ns: Floats
    ) -> Iterator[Timed]:
        """Each kernel of one class and element type with its time and energy, including the ops fused into it
        (`fused_ns`)."""
        element = kernels[0].element
        chip = self.chip(element)
        moved = np.array([float(kernel.work.bytes) for kernel in kernels])
        more_bytes = np.array([float(kernel.more_bytes) for kernel in kernels])
        more_flops = np.array([float(kernel.more_flops) for kernel in kernels])
        floor = np.maximum(moved / chip.bandwidth, more_flops / chip.rate) * 1e9
        own = np.maximum(estimate.ns + fused_ns, floor)
        launch, dispatch = self.gpu.launch_ns, self.gpu.dispatch_ns.get(self.gpu.submits, 0.0)
        ns = np.maximum(launch + own, dispatch)
        does = Activity.of(estimate, own)
        does = replace(does, flops=does.flops + more_flops, dram_bytes=does.dram_bytes + more_bytes)
        power = board_power(does, chip, self.board.constants)
        board = power.energy_nj(own) + power.idle_w * (ns - own)
        energy = component_energy(does, self.gpu, element)
        origin = self._power_in_words(kernels[0].kernel_class, element)
        for index, kernel in enumerate(kernels):
            yield Timed(
                kernel,
                self.gpu,
                estimate,
                index,
                known,
                fused_ns=float(fused_ns[index]),
                launch_ns=launch,
                dispatch_ns=dispatch,
                ns=float(ns[index]),
                energy_nj={name: float(values[index]) for name, values in energy.items()},
                board_w=float(power.watts[index]),
                board_nj=float(board[index]),
                power_known=origin,
            )

    def _fused_ns(self, kernels: Sequence[Kernel]) -> Floats:
        """Time of the ops fused into kernels: the time that their bytes and operations add to an empty element-wise
        kernel."""
        result = np.zeros(len(kernels))
        with_more = [number for number, kernel in enumerate(kernels) if kernel.more_bytes or kernel.more_flops]
        for element in dict.fromkeys(kernels[number].element for number in with_more):
            numbers = [number for number in with_more if kernels[number].element == element]
            constants = self.known("elementwise", element).constants
            more = [_more(kernels[number]) for number in numbers]
            nothing = [{**columns, "read": 0.0, "flops": 0.0, "cols": 1.0} for columns in more]
            ns = self._estimate(CLASSES["elementwise"], element, more + nothing, constants).ns
            result[numbers] = np.maximum(ns[: len(more)] - ns[len(more) :], 0)
        return result

    def _estimate(
        self,
        kernel_class: KernelClass,
        element: str,
        rows: Sequence[Mapping[str, float]],
        constants: Mapping[str, float],
    ) -> Estimate:
        columns = {
            column.name: np.array([row.get(column.name, column.default) for row in rows], float)
            for column in kernel_class.columns
        }
        columns["bytes"] = np.array([row["bytes"] for row in rows], float)
        return kernel_class.estimate(columns, self.chip(element), constants)

    def chip(self, element: str) -> Chip:
        """The GPU's data sheet numbers for an element type."""
        if element not in self._chips:
            self._chips[element] = Chip.of(self.gpu, element)
        return self._chips[element]


def _more(kernel: Kernel) -> dict[str, float]:
    """The ops that are fused into a kernel, as the columns of an element-wise kernel."""
    width = kernel.numbers["bytes"]
    elements = max(kernel.more_bytes / width, 1.0)
    moved = {"read": kernel.more_bytes, "written": 0.0}
    return {"rows": 1.0, "cols": elements, **moved, "flops": kernel.more_flops, "bytes": width}


def _cost(timed: Timed) -> Cost:
    work = timed.kernel.work
    return Cost(timed.ns, sum(timed.energy_nj.values()), work.bytes, work.flops, timed.bound, timed.board_nj)

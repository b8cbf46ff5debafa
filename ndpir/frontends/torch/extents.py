"""The extents of symbolic sizes in one import (`--dim`, `--shape`, `--batch`)."""

from __future__ import annotations

from typing import Any, NoReturn

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from dialects.diagnostics import InputError, note
from dialects.text.suggestions import hint
from lowering.resizing.extents import Change
from ndpir.frontends.onnx.builder import BodyBuilder
from ndpir.frontends.sizes import Sizes
from ndpir.frontends.torch.expressions import Unknown, value_of
from ndpir.frontends.torch.program import Extent, Input, Program


class Extents:
    """The values of symbolic sizes: those that the user gives, and for all others those with which the model was
    exported. Fixed axes are changed afterwards (`resized`)."""

    def __init__(self, program: Program, sizes: Sizes) -> None:
        self.program, self.sizes = program, sizes
        self.symbols = dict(program.hints)
        self.given: dict[str, int] = {}
        self.fixed: dict[tuple[str, int], int] = {}
        """The requested extents of fixed axes of inputs."""
        self.samples: set[tuple[str, int]] = set()
        self._known: dict[Extent, int] = {}
        self.inputs = [each for each in program.inputs if each.kind == "user"]
        self.places = {
            f"{title}.{axis}": (each.name, axis)
            for each in self.inputs
            for title in (each.name, *filter(None, (each.target,)))
            for axis in range(len(self._shape(each)))
        }
        for name, size in sizes.dims.items():
            self._give_dim(name, size)
        for name, shape in sizes.shapes.items():
            self._give_shape(name, shape)
        if sizes.batch is not None:
            self._give_batch(sizes.batch, "--batch")
        if sizes.cache_length is not None:
            self._fail(
                "--cache-length finds the caches of ONNX models; give the size of the dimension by its name, or by "
                "the input and axis (--dim INPUT.AXIS=N)"
            )
        self._check_ranges()
        self._note_defaults()

    def _fail(self, message: str) -> NoReturn:
        raise InputError(message, f"{self.program.name}:1:1")

    def _shape(self, each: Input) -> tuple[Extent, ...]:
        return self.program.graph.tensors[each.name].shape

    def _symbols(self) -> dict[str, list[str]]:
        """The axes of inputs with each symbolic extent."""
        found: dict[str, list[str]] = {}
        for each in self.inputs:
            for axis, extent in enumerate(self._shape(each)):
                if isinstance(extent, str):
                    found.setdefault(extent, []).append(f"{each.name}.{axis}")
        return found

    def _give_dim(self, name: str, size: int) -> None:
        if name in self.program.hints:
            return self._bind(name, size, f"--dim {name}")
        if name in self.places:
            return self._set(self.places[name], size, f"--dim {name}")
        if name == "batch":
            return self._give_batch(size, "--dim batch")
        known = [*self._symbols(), *self.places]
        self._fail(f"no input has a dimension `{name}`" + hint(name, known, f"the dimensions are {', '.join(known)}"))

    def _give_shape(self, name: str, shape: tuple[int, ...]) -> None:
        each = next((each for each in self.inputs if each.name == name), None)
        if each is None:
            self._fail(f"the model has no input `{name}`; its inputs are {', '.join(i.name for i in self.inputs)}")
        if len(shape) != len(self._shape(each)):
            self._fail(f"input `{name}` has {len(self._shape(each))} axes, but --shape gives it {len(shape)}")
        for axis, size in enumerate(shape):
            self._set((name, axis), size, f"--shape {name}")

    def _give_batch(self, size: int, flag: str) -> None:
        wide = [each for each in self.inputs if len(self._shape(each)) > 1]
        if not wide:
            self._fail(f"{flag}: no input has more than one axis, so that none has a batch")
        for each in wide:
            if self._shape(each)[0] == self._shape(wide[0])[0]:
                self.samples.add((each.name, 0))
                self._set((each.name, 0), size, flag)

    def _set(self, place: tuple[str, int], size: int, flag: str) -> None:
        extent = self.program.graph.tensors[place[0]].shape[place[1]]
        if isinstance(extent, int):
            self.fixed[place] = size
        elif extent in self.program.hints:
            self._bind(extent, size, flag)
        elif self.number(extent) != size:
            self._fail(f"{flag}={size}: this extent is {extent}, and follows from other dimensions; give those")

    def _bind(self, symbol: str, size: int, flag: str) -> None:
        if self.given.get(symbol, size) != size:
            self._fail(f"{flag}={size}: the dimension {symbol} is already given {self.given[symbol]}")
        self.given[symbol] = self.symbols[symbol] = size

    def _check_ranges(self) -> None:
        """Raise InputError for an extent for which the exported program does not hold."""
        for symbol, size in self.given.items():
            least, most = self.program.ranges.get(symbol, (None, None))
            if (least is not None and size < least) or (most is not None and size > most):
                where = ", ".join(self._symbols().get(symbol, [symbol]))
                self._fail(
                    f"{where} can't be {size}: the program was exported for {'any' if least is None else least} to "
                    f"{'any' if most is None else most}; export it with another range (torch.export.Dim)"
                )

    def _note_defaults(self) -> None:
        found = self._symbols()
        left = [symbol for symbol in found if symbol in self.program.hints and symbol not in self.given]
        if left:
            shown = ", ".join(f"{found[symbol][0]} = {self.symbols[symbol]}" for symbol in left)
            note(
                f"dimensions have the sizes with which the model was exported: {shown}; --dim NAME=N gives others",
                self.program.name,
            )

    def number(self, extent: Any) -> Any:
        """The value of an extent or of a symbolic number. Raises VerifyException if it depends on data."""
        if not isinstance(extent, str):
            return extent
        if (known := self._known.get(extent)) is None:
            try:
                known = self._known[extent] = value_of(extent, self.symbols)
            except Unknown as error:
                raise VerifyException(
                    f"the size {error} depends on data, so that its shape is unknown before the program runs; compute "
                    "it outside of the model, or pad it to a fixed size"
                ) from None
        return known

    def resized(self, module: ModuleOp, body: BodyBuilder) -> ModuleOp:
        """The program with the requested sizes of fixed axes. Raises InputError if they can't be traced through it."""
        numbers = {each.name: number for number, each in enumerate(self.inputs)}
        changes = [
            Change(numbers[name], axis, size, f"input `{name}`", (name, axis) in self.samples)
            for (name, axis), size in self.fixed.items()
            if self.program.graph.tensors[name].shape[axis] != size
        ]
        if not changes:
            return module
        from ndpir.frontends.resizing import in_sizes

        dynamic = "torch.export.export(…, dynamic_shapes=…)"
        flags = " ".join(self.sizes.flags)
        return in_sizes(module, changes, body.remakes, flags, lambda place: f"{place}: ", dynamic, self._fail)

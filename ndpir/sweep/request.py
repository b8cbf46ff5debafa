"""A sweep's request: the settings that all points share, and the axes that change; read from a TOML file, from
command-line options, or both.

```toml
model = "mobilenet_v2.onnx"          # a path relative to this file
machine = "a100-newton"
library = "vllm"                     # as --library
passes = "plan"
O = 1                                # as -O1
set = ["gpu.launch=2 us"]            # as --set
dims = { batch = 4 }                 # as --dim
shapes = { image = [1, 3, 64, 64] }  # as --shape
batch = 4                            # as --batch
cache_length = 1023                  # as --cache-length
design = "grid"                      # or random, latin-hypercube, with `samples` and `seed`

[sweep]
"pim.tCCD" = "1..8"
"pim.channels" = [8, 16, 32]
machine = ["a100-newton", "h100-newton"]
```
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from dialects.dependencies import digest
from dialects.diagnostics import FileName, InputError
from dialects.files import read_regular, reason_of
from lowering.instance.options import EFFORTS
from ndpir.diagnostics.usage import UsageError
from ndpir.frontends.examples import PREFIX, resolved
from ndpir.frontends.sizes import Sizes, count_of, dims_of, shapes_of
from ndpir.sweep.axes import LARGEST, LARGEST_INT, Axis, Value, axes_of, axis_from
from ndpir.sweep.sampling import MOST_POINTS, Design, Point, points_of


@dataclass(frozen=True)
class Request:
    """A sweep: the settings that all points share, the axes, and the design, which determines the points."""

    model: str
    """The path of a model or program."""
    passes: str = "offload"
    machine: str | None = None
    """The machine by name or path; None: the machine that the program contains, or the default machine."""
    library: str | None = None
    """The library of all GPUs that are timed by models of kernels; None: those that their sheets name."""
    settings: tuple[str, ...] = ()
    """Values of `--set` that apply to all points."""
    sizes: Sizes = field(default_factory=Sizes)
    keep_types: bool = False
    effort: float = 1.0
    """The factor of `--effort`."""
    level: int | None = None
    """The effort of searches, as after `-O`; None: that of the passes' options."""
    profiles: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    """Folders that contain further data sheets and machines."""
    plugins: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    """The folders in which the program may name files, besides its own; only the user can state them."""
    axes: tuple[Axis, ...] = ()
    design: Design = "grid"
    samples: int | None = None
    seed: int = 0

    def points(self) -> list[Point]:
        """The points, in the order of the design."""
        return points_of(self.axes, self.design, self.samples, self.seed)

    def text(self) -> str:
        """The request as JSON, for the journal and for workers. Raises UsageError for a name that is no UTF-8 text, as
        the names of files may be, since JSON can't state it."""
        try:
            return msgspec.json.encode(self).decode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"`{error.object}` is no UTF-8 text, but the journal of a sweep keeps all names and values as UTF-8; "
                "rename the file, or give another value"
            ) from None

    @classmethod
    def from_text(cls, text: str) -> Request:
        """The request that `Request.text` wrote as JSON."""
        return msgspec.json.decode(text, type=cls)


@dataclass(frozen=True)
class Variant:
    """One point, with all settings that determine its result."""

    passes: str
    machine: str | None
    library: str | None
    settings: tuple[str, ...]
    sizes: Sizes
    level: int | None = None
    """The effort of searches; None: that of the passes' options."""

    @property
    def command(self) -> list[str]:
        """The options of `ndp-opt` that compile this variant alone."""
        machine = [] if self.machine is None else ["--machine", self.machine]
        settings = [word for text in self.settings for word in ("--set", text)]
        library = [] if self.library is None else ["--library", self.library]
        level = [] if self.level is None else [f"-O{self.level}"]
        return ["-p", self.passes, *level, *machine, *library, *settings, *self.sizes.flags]


def variant_of(request: Request, point: Point) -> Variant:
    """The variant at a point: values of the point's axes replace the request's settings of the same name. Raises
    UsageError for a value that does not fit its axis."""
    texts: dict[str, str] = {}
    sizes, level = request.sizes, request.level
    settings = {text.partition("=")[0].strip().lstrip("@"): text for text in request.settings}
    for name, value in point.items():
        head, _, rest = name.partition(".")
        if name in ("machine", "library", "passes"):
            texts[name] = str(value)
        elif name == "O":
            level = _level(value)
        elif name == "batch":
            sizes = sizes.changed_by(Sizes(batch=count_of(str(_whole(value)), "--batch")))
        elif name == "cache-length":
            sizes = sizes.changed_by(Sizes(cache_length=count_of(str(_whole(value)), "--cache-length")))
        elif head == "dim":
            sizes = sizes.changed_by(Sizes(dims_of([f"{rest}={_whole(value)}"])))
        elif head == "shape":
            sizes = sizes.changed_by(Sizes(shapes=shapes_of([f"{rest}={value}"])))
        else:
            settings[name] = f"{name}={value}"
    passes, machine = texts.get("passes", request.passes), texts.get("machine", request.machine)
    library = texts.get("library", request.library)
    return Variant(passes, machine, library, tuple(settings.values()), sizes, level)


def _level(value: Value) -> int:
    """The effort that a value of the axis `O` states. Raises UsageError for any other value."""
    if value not in EFFORTS:
        known = ", ".join(map(str, EFFORTS))
        raise UsageError(f"the axis `O` takes the efforts {known}, but met `{value}`; write --sweep O=1..{EFFORTS[-1]}")
    return int(value)


def _whole(value: Value) -> Value:
    """A number rounded to an integer, since samples from a range of sizes may be fractions; text is unchanged."""
    return round(value) if isinstance(value, float) else value


def question_of(request: Request, variant: Variant) -> str:
    """A digest of all that a request states about a variant: names of files, but not their contents. A result for the
    same question is used again if the record of its dependencies is up to date (ndpir/sweep/journal.py)."""
    try:
        return digest(asked_of(request, variant))
    except UnicodeEncodeError:  # names of files that are no UTF-8 text
        text = json.dumps([asdict(variant), *_rest_of(request)], sort_keys=True)
        return digest(text.encode("utf-8", "surrogatepass"))


def asked_of(request: Request, variant: Variant) -> bytes:
    """All that a request states about a variant, as JSON. Raises UnicodeEncodeError for names of files that are no
    UTF-8 text."""
    return msgspec.json.encode([variant, *_rest_of(request)])


def _rest_of(request: Request) -> tuple[object, ...]:
    """The part of a request that holds for all variants."""
    files = [request.model, request.profiles, request.sheets, request.plugins, request.allowed]
    return files, request.keep_types, request.effort


_Extent: TypeAlias = Annotated[int, msgspec.Meta(ge=1, lt=10**18)]
"""A number of elements, as options of the command line take it."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a sweep's TOML file."""

    model: str
    passes: str = "offload"
    machine: str | None = None
    library: str | None = None
    set: tuple[str, ...] = ()
    dims: dict[str, int] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    batch: _Extent | None = None
    cache_length: _Extent | None = None
    opaque: bool = False
    keep_types: bool = False
    effort: Annotated[float, msgspec.Meta(gt=0, le=LARGEST)] = 1.0
    level: Annotated[int, msgspec.Meta(ge=EFFORTS[0], le=EFFORTS[-1])] | None = msgspec.field(default=None, name="O")
    profiles: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    design: Design = "grid"
    samples: Annotated[int, msgspec.Meta(ge=1, le=MOST_POINTS)] | None = None
    seed: Annotated[int, msgspec.Meta(ge=0, le=LARGEST_INT)] = 0
    sweep: dict[str, Value | tuple[Value, ...]] = {}


def read_request(path: str, allow_plugins: bool = False) -> Request:
    """The request in a TOML file; paths are relative to the file's folder. Raises InputError, at the file, for text
    that is not TOML, an unknown key, and a value of a wrong type, and for plugins, unless they are allowed: they are
    code, which a file from someone else must not run."""
    place = FileName(path)
    try:
        found = msgspec.toml.decode(read_regular(path, "a sweep is a short text file", 1 << 20), type=_File)
        if found.plugins and not allow_plugins:
            raise InputError(
                f"the sweep runs the plugin {found.plugins[0]}, which is Python code; to run it, add --allow-plugins",
                place,
            )
        return _of_file(found, Path(path).parent)
    except OSError as error:
        raise InputError(f"can't be read: {reason_of(error)}", place) from None
    except UsageError as error:
        raise InputError(str(error).removeprefix("argument "), place) from None
    except msgspec.ValidationError as error:
        raise InputError(
            f"{str(error)[:1].lower()}{str(error)[1:]} (`$` is the top level of the file)", place
        ) from None
    except (msgspec.DecodeError, ValueError) as error:
        raise InputError(f"the file is not valid TOML: {error}", place) from None


def _of_file(file: _File, folder: Path) -> Request:
    """The request in the content of a TOML file. `folder`: the file's folder."""

    def near(paths: Sequence[str]) -> tuple[str, ...]:
        return tuple(str(folder / path) for path in paths)

    return Request(
        model=resolved(file.model if file.model.startswith(PREFIX) else str(folder / file.model)),
        passes=file.passes,
        machine=None if file.machine is None else _machine_near(file.machine, folder),
        library=file.library,
        settings=file.set,
        sizes=Sizes(
            dims_of([f"{name}={value}" for name, value in file.dims.items()]),
            shapes_of([f"{name}={'x'.join(map(str, each))}" for name, each in file.shapes.items()]),
            file.batch,
            file.cache_length,
            file.opaque,
        ),
        keep_types=file.keep_types,
        effort=file.effort,
        level=file.level,
        profiles=near(file.profiles),
        sheets=near(file.sheets),
        plugins=near(file.plugins),
        axes=tuple(_machines_near(axis_from(name, values), folder) for name, values in file.sweep.items()),
        design=file.design,
        samples=file.samples,
        seed=file.seed,
    )


def _machine_near(name: str, folder: Path) -> str:
    """The machine `name`. A path relative to `folder` is converted to a path relative to the current folder."""
    is_path = "/" in name or name.endswith((".mlir", ".sheet"))
    return str(folder / name) if is_path else name


def _machines_near(axis: Axis, folder: Path) -> Axis:
    if axis.name != "machine":
        return axis
    return replace(axis, values=tuple(_machine_near(str(value), folder) for value in axis.values))


def with_axes(request: Request, texts: Sequence[str]) -> Request:
    """The request with the axes of `--sweep`, which replace axes of the same name. Raises UsageError for an invalid
    axis."""
    kept = {axis.name: axis for axis in request.axes}
    return replace(request, axes=tuple({**kept, **{axis.name: axis for axis in axes_of(texts)}}.values()))

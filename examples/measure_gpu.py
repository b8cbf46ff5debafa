"""Measure kernels on your NVIDIA GPU with PyTorch, and write them into a file for `ndp-calibrate`.

    python measure_gpu.py mine.csv --minutes 30             # run again to continue the file
    python measure_gpu.py --plan 20                         # print the plan; needs no GPU
    ndp-calibrate mine.csv --device my.sheet

The kernels are convolutions (forward and backward, grouped, depthwise), GEMMs, attention, vector ops, norms, gathers
and copies. They are submitted as replayed CUDA graphs, in streams or as single calls, and timed with CUDA events. Needs
PyTorch 2.5 or later; power is measured if nvidia-ml-py is installed. Other programs on the GPU make the results wrong.
ndpir itself is not needed: copy this file and `measure_gpu_kernels.py` to the computer with the GPU.
"""

from __future__ import annotations

import argparse
import importlib
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from measure_gpu_kernels import CLASSES, WIDTHS, Kernel, operands, plan

# The file.

_FIRST = ("class", "element", "way", "lat_us", "power_w")


def header() -> list[str]:
    """Return the columns of the file: all columns that rows of any class have."""
    names = dict.fromkeys(_FIRST)
    for name, (elements, sizes) in CLASSES.items():
        names |= dict.fromkeys([*sizes(random.Random(name), elements[0])[1], "warm"])
    return list(names)


def row(kernel: Kernel, lat_us: float, power_w: float | None) -> str:
    """Return a line of the file; `lat_us`: the time in microseconds, `power_w`: the power in watts (None: not
    measured)."""
    power = "" if power_w is None else f"{power_w:.1f}"
    first = (kernel.kernel_class, kernel.element, kernel.way, f"{lat_us:.4g}", power)
    cells = {**dict(zip(_FIRST, first, strict=True)), **kernel.sizes}
    return ",".join(str(cells.get(name, "")) for name in header())


def measured(path: Path) -> set[str]:
    """Return the rows of an existing file, without their times. Exits with a message if the file has columns other than
    `header`."""
    if not path.exists():
        return set()
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    if lines and lines[0] != ",".join(header()):
        sys.exit(f"{path}:1:1: error: the file has other columns than those to be written; give the name of a new file")
    return {_untimed(line) for line in lines[1:]}


def _untimed(line: str) -> str:
    cells = line.split(",")
    return ",".join([*cells[:3], *cells[len(_FIRST) :]])


class Timer(Protocol):
    """Interface of objects that measure the times of kernels."""

    def time(self, kernel: Kernel) -> tuple[float, float | None] | None:
        """Return the time in microseconds and the power in watts (None: not measured) of a kernel; None if the timer
        can't measure it.

        Raises RuntimeError if the GPU or the library does not support the kernel.
        """
        ...

    def about(self) -> Iterable[str]:
        """Return a description of the computer, as lines for the head of the file."""
        ...


def measure(
    kernels: Iterable[Kernel], timer: Timer, path: Path, until: Callable[[], bool], report: Callable[[str], None]
) -> int:
    """Time kernels until `until` returns True, and write each row immediately; return the number of written rows.

    Kernels that the file already contains are skipped. Kernels of a class and element type are no longer tried if the
    first three of them fail.
    """
    done, failures, written = measured(path), dict[tuple[str, str], int](), 0
    fresh = not path.exists()
    torn = not fresh and not path.read_text(encoding="utf-8").endswith("\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * torn + "".join(f"# {line}\n" for line in timer.about()))
        file.write((",".join(header()) + "\n") * fresh)
        for kernel in kernels:
            kind = (kernel.kernel_class, kernel.element)
            if until():
                break
            if failures.get(kind, 0) >= 3 or _untimed(row(kernel, 0, None)) in done:
                continue
            try:
                found = timer.time(kernel)
            except (RuntimeError, AttributeError, TypeError) as error:
                failures[kind] = failures.get(kind, 0) + 1
                if failures[kind] == 3:
                    why = str(error).strip().partition("\n")[0]
                    report(f"{' '.join(kind)}: skipped from now on, since the first three kernels failed: {why}")
                if len(failures) > 8 and not written:
                    sys.exit(
                        "measure_gpu.py: error: no kernel can be measured; check whether another program uses the GPU"
                    )
                continue
            if found is not None:
                failures[kind] = -1_000_000  # the kind works; single sizes may still fail
                file.write(row(kernel, *found) + "\n")
                file.flush()
                written += 1
    return written


# The GPU.


class TorchTimer:
    """A timer with CUDA events of kernels that are submitted as replayed CUDA graphs, in streams or as single calls."""

    def __init__(self, torch: Any, power_s: float) -> None:
        self.torch, self.power_s, self.count = torch, power_s, 0
        self.properties = torch.cuda.get_device_properties(0)
        self.cache = int(self.properties.L2_cache_size)
        self.stream = torch.cuda.Stream()  # shared by all captures: libraries keep a workspace per stream
        torch.backends.cudnn.benchmark = True
        torch.backends.cuda.enable_flash_sdp(True)  # only fused attention is measured
        for other in ("math", "mem_efficient", "cudnn"):
            getattr(torch.backends.cuda, f"enable_{other}_sdp")(False)
        torch.manual_seed(0)
        if power_s:
            try:
                torch.cuda.power_draw()
            except Exception as error:  # any error of the driver, or a missing package
                self.power_s = 0.0
                print(f"power is not measured: {error}; to measure it, run `pip install nvidia-ml-py`", file=sys.stderr)

    def about(self) -> Iterator[str]:
        torch = self.torch
        yield f"{self.properties.name}, torch {torch.__version__}, CUDA {torch.version.cuda}"
        yield f"cuDNN {torch.backends.cudnn.version()}, {time.strftime('%Y-%m-%d')}"
        for name, to_device in (("host to device", True), ("device to host", False)):
            small, large = (self._host_copy(size, to_device) for size in (1 << 12, 1 << 28))
            yield f"{name}: latency {small:.3g} us, bandwidth {(1 << 28) / max(large - small, 1) / 1e3:.4g} GB/s"

    def _host_copy(self, size: int, to_device: bool) -> float:
        torch = self.torch
        host = torch.empty(size, dtype=torch.uint8, pin_memory=True)
        device = torch.empty(size, dtype=torch.uint8, device="cuda")
        to, source = (device, host) if to_device else (host, device)
        to.copy_(source)
        return self._between(lambda: to.copy_(source, non_blocking=True), 5)

    def time(self, kernel: Kernel) -> tuple[float, float | None] | None:
        torch = self.torch
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = kernel.element == "tf32"
        copies = 1
        if not kernel.sizes["warm"]:  # rotate through copies of the operands, so that they are not in L2
            copies = math.ceil(3 * self.cache / max(sum(operands(kernel)) * kernel.width, 1)) + 1
            if copies > 256:
                return None
        with torch.no_grad():
            calls = [self._call(kernel) for _ in range(copies)]
            for call in calls:
                call()
            match kernel.way:
                case "eager":
                    return statistics.median(self._between(calls[0], 1) for _ in range(30)), None
                case "stream":
                    count = self._repeats(calls, 2e4, 1000)
                    return statistics.median(self._between(calls[0], count) for _ in range(5)), None
                case _:
                    return self._graph(calls)

    def _between(self, call: Callable[[], object], count: int) -> float:
        """Return the time per call in microseconds, over `count` consecutive calls."""
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.torch.cuda.synchronize()
        start.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e3 / count

    def _repeats(self, calls: Sequence[Callable[[], object]], span_us: float, most: int) -> int:
        """Return the number of calls whose total time is much longer than the clock's resolution, at most `most`."""
        once = self._between(lambda: [call() for call in calls], 3)
        return max(1, min(most // len(calls), math.ceil(span_us / once)))

    def _graph(self, calls: Sequence[Callable[[], object]]) -> tuple[float, float | None]:
        torch = self.torch
        repeats = self._repeats(calls, 5e3, 2048)
        stream, graph = self.stream, torch.cuda.CUDAGraph()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):  # libraries initialise before the capture
            for call in calls[:3]:
                call()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(repeats):
                for call in calls:
                    call()
        graph.replay()
        once = statistics.median(self._between(graph.replay, 1) for _ in range(7))
        self.count += 1
        power = self._power(graph, once) if self.power_s and self.count % 4 == 0 else None
        return once / (repeats * len(calls)), power

    def _power(self, graph: Any, once_us: float) -> float:
        """Return the mean power in W while the graph is repeated, measured in the second half of the repetitions."""
        begin, samples, several = time.monotonic(), list[float](), max(1, math.ceil(5e4 / once_us))
        while (spent := time.monotonic() - begin) < 2 * self.power_s or not samples:
            for _ in range(several):
                graph.replay()
            self.torch.cuda.synchronize()
            if spent > self.power_s:
                samples.append(self.torch.cuda.power_draw() / 1e3)
        return statistics.fmean(samples)

    def _call(self, kernel: Kernel) -> Callable[[], object]:
        """Return a function that runs the kernel on newly allocated operands."""
        z, op, functional = kernel.sizes, kernel.op, self.torch.nn.functional
        make = {"mm": self._mm, "conv": self._convolution, "attention": self._sdpa}.get(op)
        if make is not None:
            return make(kernel)
        torch, rows, cols = self.torch, z["rows"], z["cols"]
        x = self._tensor(kernel, rows, cols)
        match op:
            case "add" | "mul":
                y, out, binary = self._tensor(kernel, rows, cols), torch.empty_like(x), getattr(torch, op)
                return lambda: binary(x, y, out=out)
            case "relu" | "gelu" | "softmax":
                unary, more = getattr(functional, op), {"dim": -1} if op == "softmax" else {}
                return lambda: unary(x, **more)
            case "layer_norm" | "rms_norm":
                weight, norm = self._tensor(kernel, cols), getattr(functional, op)
                return lambda: norm(x, (cols,), weight)
            case "sum" | "max":
                reduce, lying = torch.sum if op == "sum" else torch.amax, x
                if z["strided"]:  # rows are strided in memory
                    lying = self._tensor(kernel, cols, rows).t()
                return lambda: reduce(lying, dim=-1)
            case "gather":
                table = self._tensor(kernel, max(rows, 1 << 14), cols)
                index = torch.randint(0, len(table), (rows,), device="cuda")
                return lambda: torch.index_select(table, 0, index, out=x)
            case "fill":
                return lambda: x.fill_(1.0)
            case _:
                source = self._tensor(kernel, cols, rows).t() if op == "transpose" else torch.empty_like(x)
                return lambda: x.copy_(source)

    def _tensor(self, kernel: Kernel, *shape: int) -> Any:
        torch = self.torch
        if kernel.element == "i8":
            return torch.randint(-128, 127, shape, dtype=torch.int8, device="cuda")
        names = {"f16": "float16", "bf16": "bfloat16", "f8": "float8_e4m3fn"}
        kind = getattr(torch, names.get(kernel.element, "float32"))
        if kernel.element == "f8":
            return torch.randn(shape, dtype=torch.float16, device="cuda").to(kind)
        return torch.randn(shape, dtype=kind, device="cuda")

    def _mm(self, kernel: Kernel) -> Callable[[], object]:
        torch, z = self.torch, kernel.sizes
        batch = (z["batch"],) if z["batch"] > 1 else ()
        a = self._tensor(kernel, *batch, z["m"], z["k"])
        if z["transposed_b"]:
            b = self._tensor(kernel, *batch, z["n"], z["k"]).transpose(-1, -2)
        else:
            b = self._tensor(kernel, *batch, z["k"], z["n"])
        if kernel.element == "i8":
            return lambda: torch._int_mm(a, b)
        if kernel.element == "f8":
            one = torch.ones((), device="cuda")
            return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
        out = torch.empty(*batch, z["m"], z["n"], dtype=a.dtype, device="cuda")
        product = torch.bmm if batch else torch.mm
        return lambda: product(a, b, out=out)

    def _convolution(self, kernel: Kernel) -> Callable[[], object]:
        torch, z = self.torch, kernel.sizes
        order = torch.contiguous_format if z["planar"] else torch.channels_last
        shapes = (z["batch"], z["c"], z["h"], z["w"]), (z["k"], z["c"] // z["groups"], z["r"], z["s"])
        x, w = (self._tensor(kernel, *shape).contiguous(memory_format=order) for shape in shapes)
        stride, padding, groups = [z["stride"]] * 2, [z["r"] // 2, z["s"] // 2], z["groups"]
        if kernel.kernel_class == "conv_forward":
            return lambda: torch.nn.functional.conv2d(x, w, None, stride, padding, 1, groups)
        result = self._tensor(kernel, z["batch"], z["k"], z["p"], z["q"]).contiguous(memory_format=order)
        wanted = [kernel.kernel_class == "conv_backward_data", kernel.kernel_class == "conv_backward_weight", False]
        backward = torch.ops.aten.convolution_backward
        return lambda: backward(result, x, w, None, stride, padding, [1, 1], False, [0, 0], groups, wanted)

    def _sdpa(self, kernel: Kernel) -> Callable[[], object]:
        z, attention = kernel.sizes, self.torch.nn.functional.scaled_dot_product_attention
        q = self._tensor(kernel, z["batch"], z["heads"], z["queries"], z["head"])
        k, v = (self._tensor(kernel, z["batch"], z["kv_heads"], z["keys"], z["head"]) for _ in range(2))
        more = {"is_causal": bool(z["causal"]), "enable_gqa": z["heads"] != z["kv_heads"]}
        if kernel.kernel_class != "attention_backward":
            return lambda: attention(q, k, v, **more)
        inputs = [each.requires_grad_() for each in (q, k, v)]
        with self.torch.enable_grad():
            y = attention(*inputs, **more)
        dy, gradients = self._tensor(kernel, *y.shape), self.torch.autograd.grad
        return lambda: gradients(y, inputs, dy, retain_graph=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="the CSV file to write; an existing file is continued")
    parser.add_argument("--minutes", type=float, default=30.0, help="time limit, minutes (default 30)")
    parser.add_argument(
        "--classes", default=",".join(CLASSES), help="classes to measure, separated by commas (default all)"
    )
    parser.add_argument("--dtypes", default=",".join(WIDTHS), help="element types, separated by commas (default all)")
    parser.add_argument("--seed", type=int, default=0, help="seed of random sizes (default 0)")
    parser.add_argument("--power", type=float, default=1.0, help="seconds per power measurement; 0: none (default 1)")
    parser.add_argument("--plan", type=int, metavar="N", help="print the first N rows without times, and stop")
    options = parser.parse_args(arguments)
    classes = _selected(parser, options.classes, CLASSES, "class")
    kernels = plan(classes, _selected(parser, options.dtypes, WIDTHS, "element type"), options.seed)
    if options.plan is not None:
        print(",".join(header()))
        for _, kernel in zip(range(options.plan), kernels, strict=False):
            print(row(kernel, math.nan, None).replace(",nan,", ",,", 1))
        return 0
    if options.file is None:
        parser.error("give the file to write, as in `measure_gpu.py mine.csv`")
    begin = time.monotonic()

    def until() -> bool:
        spent = (time.monotonic() - begin) / 60
        if sys.stderr.isatty():
            print(f"\r{spent:.1f} of {options.minutes:g} minutes", end="", file=sys.stderr)
        return spent > options.minutes

    timer = TorchTimer(_torch(), options.power)
    try:
        written = measure(kernels, timer, options.file, until, lambda text: print(text, file=sys.stderr))
    except KeyboardInterrupt:
        print(f"\nstopped; measured rows are in {options.file}, and the same command continues", file=sys.stderr)
        return 130
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{options.file}: error: the file can't be read or written: {error}")
    print(f"{written} kernels written to {options.file}; `ndp-calibrate {options.file} --device NAME` fits them")
    return 0


def _selected(parser: argparse.ArgumentParser, text: str, known: Iterable[str], what: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            parser.error(f"unknown {what} `{name}`; expected one of {', '.join(known)}")
    return names


def _torch() -> Any:
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        sys.exit("measure_gpu.py: error: PyTorch is not installed; run `pip install torch` (--plan works without)")
    if not torch.cuda.is_available():
        sys.exit("measure_gpu.py: error: PyTorch finds no NVIDIA GPU; run this on a computer with one")
    return torch


if __name__ == "__main__":
    sys.exit(main())

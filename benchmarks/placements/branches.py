"""Programs with branches, in which placement, splits and order depend on each other.

`benchmarks/placement_efforts.py` plans them in addition to networks that are mostly sequences of layers."""

from __future__ import annotations

from collections.abc import Iterator


def conv(name: str, x: str, shape: tuple[int, int, int], filters: int, kernel: int) -> Iterator[str]:
    """Yield the text of a convolution and its activation on an image; `shape`: channels, height and width of the
    image."""
    channels, height, width = shape
    image, result = f"tensor<1x{channels}x{height}x{width}xf16>", f"tensor<1x{filters}x{height}x{width}xf16>"
    weight, pad = f"tensor<{filters}x{channels}x{kernel}x{kernel}xf16>", kernel // 2
    pads = f" pads = [{pad}, {pad}, {pad}, {pad}]" if pad else ""
    yield f'%w_{name} = graph.weight "{name}" = uniform(-0.1, 0.1, 1) : {weight}'
    yield f"%c_{name} = graph.conv {x}, %w_{name}{pads} : {image}, {weight}"
    yield f"%{name} = graph.relu %c_{name} : {result}"


def inception(size: int = 28, channels: int = 192) -> str:
    """Return block 3a of GoogLeNet (Szegedy et al., CVPR 2015): four branches that read the same image."""
    image = (channels, size, size)
    lines = [
        *conv("a", "%x", image, 64, 1),
        *conv("b1", "%x", image, 96, 1),
        *conv("b2", "%b1", (96, size, size), 128, 3),
        *conv("c1", "%x", image, 16, 1),
        *conv("c2", "%c1", (16, size, size), 32, 5),
        "%p = graph.pool max %x kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1] "
        f": tensor<1x{channels}x{size}x{size}xf16>",
        *conv("d", "%p", image, 32, 1),
    ]
    parts = ", ".join(f"tensor<1x{filters}x{size}x{size}xf16>" for filters in (64, 128, 32, 32))
    lines.append(f"%y = graph.concat %a, %b2, %c2, %d axis = 1 : {parts}")
    return function(f"tensor<1x{channels}x{size}x{size}xf16>", lines, f"tensor<1x256x{size}x{size}xf16>")


def experts(tokens: int, count: int = 4, width: int = 1024, inner: int = 4096) -> str:
    """Return a layer of experts, all of which process all tokens, and the mean of their results."""
    x, up, down = f"tensor<{tokens}x{width}xf16>", f"tensor<{width}x{inner}xf16>", f"tensor<{inner}x{width}xf16>"
    lines: list[str] = []
    for each in range(count):
        lines += [
            f'%u{each} = graph.weight "up{each}" = uniform(-0.1, 0.1, 1) : {up}',
            f'%d{each} = graph.weight "down{each}" = uniform(-0.1, 0.1, 2) : {down}',
            f"%h{each} = graph.matmul %x, %u{each} : {x}, {up}",
            f"%g{each} = graph.gelu %h{each} : tensor<{tokens}x{inner}xf16>",
            f"%e{each} = graph.matmul %g{each}, %d{each} : tensor<{tokens}x{inner}xf16>, {down}",
        ]
    last = "%e0"
    for each in range(1, count):
        lines.append(f"%s{each} = graph.add {last}, %e{each} : {x}")
        last = f"%s{each}"
    lines.append(f"%y = graph.relu {last} : {x}")
    return function(x, lines, x)


def side_by_side(tokens: int, width: int = 2048) -> str:
    """Return a transformer block whose attention and perceptron read the result of the same norm, as in GPT-J.

    Source: Wang and Komatsuzaki, 2021.
    """
    x, square = f"tensor<{tokens}x{width}xf16>", f"tensor<{width}x{width}xf16>"
    wide, up, down = (
        f"tensor<{tokens}x{4 * width}xf16>",
        f"tensor<{width}x{4 * width}xf16>",
        (f"tensor<{4 * width}x{width}xf16>"),
    )
    weights = {"q": square, "k": square, "v": square, "o": square, "u": up, "d": down}
    lines = [f'%w{name} = graph.weight "{name}" = uniform(-0.1, 0.1, 1) : {type_}' for name, type_ in weights.items()]
    lines += [
        f"%n = graph.sigmoid %x : {x}",
        *(f"%{name} = graph.matmul %n, %w{name} : {x}, {square}" for name in "qkv"),
        f"%s = graph.mul %q, %k : {x}",
        f"%p = graph.softmax %s axis = 1 : {x}",
        f"%t = graph.mul %p, %v : {x}",
        f"%o = graph.matmul %t, %wo : {x}, {square}",
        f"%u = graph.matmul %n, %wu : {x}, {up}",
        f"%g = graph.gelu %u : {wide}",
        f"%d = graph.matmul %g, %wd : {wide}, {down}",
        f"%a = graph.add %o, %d : {x}",
        f"%y = graph.add %a, %x : {x}",
    ]
    return function(x, lines, x)


def function(takes: str, lines: list[str], gives: str) -> str:
    """Return the text of a function with one argument %x and one result %y."""
    body = "".join(f"  {line}\n" for line in lines)
    return f"func.func @main(%x: {takes}) -> {gives} {{\n{body}  func.return %y : {gives}\n}}\n"


PROGRAMS = {
    "inception 3a": inception(),
    "inception 3a, 14x14": inception(14, 480),
    "4 experts, 8 tokens": experts(8),
    "4 experts, 32 tokens": experts(32),
    "GPT-J block, 8 tokens": side_by_side(8),
    "GPT-J block, 32 tokens": side_by_side(32),
}
"""All programs, by their names in tables."""

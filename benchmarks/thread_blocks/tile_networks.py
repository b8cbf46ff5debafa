"""Times of complete networks with kernels of thread blocks, pipelined and not: BERT-large, GPT-2 and ResNet-50 in f16.

    python -m benchmarks tile_networks [--machine a100] [--only NAME] [--small]

BERT-large is an encoder of 24 layers on 512 words, GPT-2 a decoder of 12 layers on 1024 words, both with scores,
softmax and weighted sums as separate ops; ResNet-50 is the model in examples/models, for one image. For every product,
`-p pipeline-kernels` selects the kernel that is fastest by the clock of thread blocks, from a space of schedules:

    plain      the tiles that ALCOP searches, without stages; synchronous or asynchronous copies
    pipelined  the same tiles with two to six stages of shared memory and up to four of registers
    ours       the schedules of `pipelined`, and in addition parts of K, peeled loops and orders of blocks
    library    no kernels of thread blocks: the fitted classes of kernels, if the GPU has them

In all columns, all ops except products are timed by the fitted classes of kernels. The published speed-up of complete
networks is up to 1.18 over kernels without pipelines (Huang et al., ALCOP, MLSys 2023). Times are simulated. `--small`:
only two layers of each network.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another package is called benchmarks too

from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.text.columns import table
from interp.figures import time

ROOT = Path(__file__).resolve().parents[2]
PREPARED = "inline,canonicalize,fuse"
LOWERED = PREPARED + ",to-tile{{space={}}},fuse,layout,pipeline-buffers"
WAYS: Mapping[str, str] = {
    "plain": LOWERED.format("unpipelined"),
    "pipelined": LOWERED.format("published"),
    "ours": LOWERED.format("ours"),
    "library": PREPARED + ",layout",
}
"""The passes that compile a network for each column."""


def transformer(layers: int, hidden: int, heads: int, words: int, decoder: bool) -> str:
    """Return the text of a transformer's inference on one sequence of `words` tokens, with norms after each sublayer,
    or before each sublayer in a `decoder`."""
    x, inner, head = f"tensor<{words}x{hidden}xf16>", 4 * hidden, hidden // heads
    lines = [f"func.func @main(%x0: {x}, %mask: tensor<1x{words}x{words}xf16>) -> {x} {{"]
    say = lines.append
    say(f'  %scale = graph.weight "scale" = uniform(0.5, 1.5, 1) : tensor<{hidden}xf16>')
    say(f'  %shift = graph.weight "shift" = uniform(-0.1, 0.1, 2) : tensor<{hidden}xf16>')
    say("  %root = graph.constant 0.125 : tensor<f16>")

    def linear(to: str, of: str, name: str, rows: int, columns: int) -> None:
        seed = len(lines)
        say(f'  %w{to} = graph.weight "{name}" = uniform(-0.05, 0.05, {seed}) : tensor<{rows}x{columns}xf16>')
        say(f'  %b{to} = graph.weight "{name}.bias" = uniform(-0.05, 0.05, {seed + 1}) : tensor<{columns}xf16>')
        types = f"tensor<{words}x{rows}xf16>, tensor<{rows}x{columns}xf16>, tensor<{columns}xf16>"
        say(f"  %{to} = graph.matmul %{of}, %w{to}, %b{to} : {types}")

    def norm(to: str, of: str) -> None:
        say(f"  %{to} = graph.layer_norm %{of}, %scale, %shift : {x}, tensor<{hidden}xf16>, tensor<{hidden}xf16>")

    split, turned = f"tensor<{words}x{heads}x{head}xf16>", f"tensor<{heads}x{words}x{head}xf16>"
    scores, across = f"tensor<{heads}x{words}x{words}xf16>", f"tensor<{heads}x{words}x{head}xf16>"
    for n in range(layers):
        source = f"x{n}"
        if decoder:
            norm(f"n{n}", source)
            source = f"n{n}"
        for each in "qkv":
            linear(f"{each}{n}", source, f"layer{n}.{each}", hidden, hidden)
            say(f"  %{each}s{n} = graph.reshape %{each}{n} : {x} -> {split}")
            say(f"  %{each}t{n} = graph.transpose %{each}s{n} permutation = [1, 0, 2] : {split}")
        say(f"  %p{n} = graph.matmul %qt{n}, %kt{n} transpose_b : {turned}, {across}")
        say(f"  %ps{n} = graph.mul %p{n}, %root : {scores}, tensor<f16>")
        say(f"  %pm{n} = graph.add %ps{n}, %mask : {scores}, tensor<1x{words}x{words}xf16>")
        say(f"  %pw{n} = graph.softmax %pm{n} : {scores}")
        say(f"  %a{n} = graph.matmul %pw{n}, %vt{n} : {scores}, {turned}")
        say(f"  %at{n} = graph.transpose %a{n} permutation = [1, 0, 2] : {turned}")
        say(f"  %ar{n} = graph.reshape %at{n} : {split} -> {x}")
        linear(f"o{n}", f"ar{n}", f"layer{n}.o", hidden, hidden)
        say(f"  %r{n} = graph.add %o{n}, %x{n} : {x}, {x}")
        norm(f"m{n}", f"r{n}")
        linear(f"f{n}", f"m{n}", f"layer{n}.f", hidden, inner)
        say(f"  %g{n} = graph.gelu %f{n} : tensor<{words}x{inner}xf16>")
        linear(f"h{n}", f"g{n}", f"layer{n}.h", inner, hidden)
        residual = f"r{n}" if decoder else f"m{n}"
        if decoder:
            say(f"  %x{n + 1} = graph.add %h{n}, %{residual} : {x}, {x}")
        else:
            say(f"  %s{n} = graph.add %h{n}, %{residual} : {x}, {x}")
            norm(f"x{n + 1}", f"s{n}")
    say(f"  func.return %x{layers} : {x}")
    return "\n".join([*lines, "}", ""])


def networks(small: bool) -> dict[str, Callable[[], ModuleOp]]:
    """Return functions that build the networks, by name."""
    return {
        "BERT-large, 512 words": lambda: ndpir.parse(transformer(2 if small else 24, 1024, 16, 512, False)),
        "GPT-2, 1024 words": lambda: ndpir.parse(transformer(2 if small else 12, 768, 12, 1024, True)),
        "ResNet-50, 1 image": lambda: ndpir.read(ROOT / "examples" / "models" / "resnet50_f16.onnx"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tile_networks", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--machine", default="a100", help="a GPU's sheet")
    parser.add_argument("--only", default="", help="networks whose name begins so")
    parser.add_argument("--small", action="store_true", help="two layers")
    said = parser.parse_args()
    lines: list[tuple[str, ...]] = []
    for name, load in networks(said.small).items():
        if not name.startswith(said.only):
            continue
        module = load()
        took = {
            way: ndpir.simulate(ndpir.compile(module, passes, machine=said.machine)).makespan_ns
            for way, passes in WAYS.items()
        }
        plain = took["plain"]
        gains = (f"{plain / took['pipelined']:.2f}", f"{plain / took['ours']:.2f}")
        lines.append((name, *(time(took[way]) for way in WAYS), *gains))
        print(*lines[-1], sep="  ", file=sys.stderr)
    head = ("network", *WAYS, "gain", "gain of ours")
    print(table(head, lines), end="")


if __name__ == "__main__":
    main()

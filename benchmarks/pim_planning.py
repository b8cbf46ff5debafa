"""Time to estimate the cost of one new shape on a PIM; a search over split ratios needs hundreds of such estimates.

    python benchmarks/pim_planning.py [SHEET…]

The shapes are the dense convolutions of five CNNs, complete and cut to 10 % … 90 % of their output rows; the default
sheet is `newton`. For comparison, the mean time to write, check and time the chosen program of a shape is printed, over
every tenth shape; a search that did this for each candidate mapping would take several times as long.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time

import ndpir
from dialects.graph import ConvOp, shape_of
from interp.kinds.pim.timing.clock import forget, kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.products.forms import FORMS
from lowering.banks.products.kernel import kernel_of
from lowering.banks.products.mapping import Mapping, Product
from lowering.banks.products.search import FoundMapping, search

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "models"
MODELS = "mobilenet_v2", "resnet50", "efficientnet_b0", "mnasnet1_0", "vgg16"
TENTHS = range(1, 11)


def products(name: str, element: str) -> Iterator[Product]:
    """Yield a network's dense convolutions and parts of them (shards), as matrix products without bias in a device's
    element type."""
    [form] = FORMS[ConvOp]
    for op in ndpir.read(FOLDER / f"{name}.onnx").walk():
        if isinstance(op, ConvOp) and op.groups.value.data == 1:
            complete = form.product(op)
            assert isinstance(complete, Product)
            rows = shape_of(op.y)[2]
            for tenths in TENTHS:
                part = max(1, round(rows * tenths / 10))
                yield Product(1, complete.vectors // rows * part, complete.outputs, complete.inner, element)


def written_s(mappings: Sequence[Mapping], pim: Pim) -> float:
    """Return the mean time in s to write the program of a mapping, check it and time it."""
    forget()
    start = process_time()
    for mapping in mappings:
        kernel_time(kernel_of(mapping, pim), pim)
    return (process_time() - start) / len(mappings)


def main(names: Sequence[str]) -> None:
    for name in names:
        pim = load_device(name)
        assert isinstance(pim, Pim), f"{name} is not a PIM"
        shapes = list(dict.fromkeys(product for model in MODELS for product in products(model, pim.element)))
        start = process_time()
        found = [search(product, pim) for product in shapes]
        taken = (process_time() - start) / len(shapes)
        one = written_s([each.mapping for each in found if isinstance(each, FoundMapping)][::10], pim)
        print(
            f"{name}: {len(shapes)} shapes, {taken * 1e3:.2f} ms each; {taken / one:.2f} times the time to write, "
            f"check and time one program ({one * 1e3:.2f} ms)"
        )


if __name__ == "__main__":
    main(sys.argv[1:] or ["newton"])

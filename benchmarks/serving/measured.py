"""Measured runs of serving engines, as aiconfigurator publishes them (`silicon_sample.csv`): a folder with the file
aic_silicon.csv, whose columns are those of the source, with `ttft_ms`, `tpot_ms`, `concurrency`, `origin`, `same_as`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MODELS = {
    r"llama-3\.1-8b": "llama3.1_8b",
    r"llama-3\.1-70b|llama-3\.3-70b": "llama3.1_70b",
    r"qwen3-32b": "qwen3_32b",
    r"gpt-oss-120b": "gpt_oss_120b",
}
"""Configs (examples/configs) by a pattern of the name of the model that was run."""
CLOSED_LOOP = 10
"""The number of requests relative to those in flight: InferenceX sends ten times as many."""


@dataclass(frozen=True)
class Measured:
    """A run of an engine on one GPU, with `concurrency` requests in flight."""

    id: str
    gpu: str
    engine: str
    model: str
    precision: str
    """bf16, fp8, fp8_block or fp4."""
    concurrency: int
    prompt: int
    output: int
    ttft_ms: float
    tpot_ms: float
    least: float
    """The shortest prompt and answer as a fraction of the longest."""

    @property
    def cell(self) -> tuple[str, str, str, str]:
        """The group of rows over which errors are averaged: GPU, engine, model and precision."""
        return self.gpu, self.engine, self.model, self.precision

    @property
    def types(self) -> dict[str, str]:
        """The element types of the run: in f8, weights and activations of products are narrow, with scales that
        NVIDIA's checkpoints state ahead of time; f4 stands for 4 bits of weights alone. Caches are f8 but for runs of
        vLLM and SGLang by NVIDIA, whose default is the model's type."""
        if self.precision == "bf16":
            return {}
        weights = {"fp8": "f8_static", "fp8_block": "f8_block", "fp4": "mxfp4"}[self.precision]
        default = self.engine in ("vllm", "sglang") and self.least == 1.0
        return {"weights": weights} | ({} if default else {"cache": "f8"})


def measured_in(folder: Path) -> Iterator[Measured]:
    """The runs on one GPU of models of `MODELS`, without speculation and without repeated rows."""
    with (folder / "aic_silicon.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            name = row["model_path"].rpartition("/")[2].lower()
            model = next((config for pattern, config in MODELS.items() if re.search(pattern, name)), None)
            alone = row["mode"] == "agg" and row["tp_size"] == row["pp_size"] == "1"
            if model is None or not alone or row["same_as"] or row["mtp_by_image"] == "1":
                continue
            mode = row["gemm_quant_mode"]
            narrow = row["precision"] or ("fp8" if "fp8" in name else "bf16")
            drawn = re.match(r"\d{4}-\d\d-\d\d|db-dump", row["origin"]) is not None
            yield Measured(
                row["id"],
                row["system"],
                row["backend"],
                model,
                "fp8_block" if mode == "fp8_block" else narrow,
                int(row["concurrency"] or row["batch_size"]),
                int(row["isl"]),
                int(row["osl"]),
                float(row["ttft_ms"]),
                float(row["tpot_ms"]),
                0.8 if drawn else 1.0,
            )

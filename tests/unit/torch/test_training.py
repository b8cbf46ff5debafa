"""Training steps of PyTorch, where it is installed; stored ones are in test_stored.py."""

from __future__ import annotations

from typing import Any

import pytest

import ndpir
from ndpir.pytorch import training_step

torch: Any = pytest.importorskip("torch")


def loss(model: Any, x: Any, y: Any) -> Any:
    return torch.nn.functional.cross_entropy(model(x), y)


def inputs() -> tuple[Any, Any]:
    return torch.zeros(2, 4), torch.zeros(2, dtype=torch.long)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("LBFGS", r"a step of LBFGS can't be traced \(.*closure"),
        ("SparseAdam", r"a step of SparseAdam can't be traced \(.*dense gradients"),
        ("Adafactor", "Adafactor, or the model, decides by a number of a tensor"),
    ],
)
def test_other_optimizers_are_refused(name: str, message: str) -> None:
    model = torch.nn.Linear(4, 3)
    with pytest.raises(ndpir.InputError, match=message):
        training_step(model, getattr(torch.optim, name)(model.parameters()), loss, inputs())


def test_frozen_parameters_have_no_moments() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 3))
    model[0].weight.requires_grad_(False)
    groups = [{"params": model[0].parameters(), "lr": 0.01}, {"params": model[1].parameters()}]
    function: Any = training_step(model, torch.optim.AdamW(groups), loss, inputs()).body.block.first_op
    names = [argument.name_hint for argument in function.body.block.args]
    assert [name for name in names if name.endswith("exp_avg")] == [
        f"v{name}.exp_avg" for name in ("0.bias", "1.weight", "1.bias")
    ]


def test_random_numbers_of_dropout_are_counted() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Dropout(0.5))
    text = ndpir.write(training_step(model, torch.optim.SGD(model.parameters()), loss, inputs()))
    assert "%rng_state: tensor<2xui64>" in text

"""Timeline of a JAX training step on a GPU with PIM.

    pip install jax && python examples/jax_step.py

`jax.jit(step).lower(…)` computes nothing, since only shapes are needed. Any other JAX function can replace `step`.
"""

from __future__ import annotations

from typing import Any

import jax  # pyright: ignore[reportMissingModuleSource]
import jax.numpy as jnp  # pyright: ignore[reportMissingModuleSource]

import ndpir


def loss(weights: Any, x: Any, labels: Any) -> Any:
    """Return the cross entropy of a perceptron with one hidden layer."""
    (w1, b1), (w2, b2) = weights
    scores = jax.nn.relu(x @ w1 + b1) @ w2 + b2
    return -jnp.take_along_axis(jax.nn.log_softmax(scores), labels[:, None], axis=1).mean()


def _descended(weight: Any, gradient: Any) -> Any:
    return weight - 0.01 * gradient


def step(weights: Any, x: Any, labels: Any) -> Any:
    """Run the forward pass, the backward pass, and the update of weights by stochastic gradient descent."""
    value, gradients = jax.value_and_grad(loss)(weights, x, labels)
    descended = jax.tree.map(_descended, weights, gradients)
    return descended, value


if __name__ == "__main__":

    def f(*shape: int) -> Any:
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    weights = ((f(784, 512), f(512)), (f(512, 10), f(10)))
    lowered = jax.jit(step).lower(weights, f(128, 784), jax.ShapeDtypeStruct((128,), jnp.int32))
    placed = ndpir.compile(ndpir.read(lowered), "offload", machine="a100-newton")
    print(ndpir.write(placed, "timeline"))

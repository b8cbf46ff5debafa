"""Converters of random numbers: dropout, uniform and normal numbers, by the counter-based generator Philox-4x32-10,
which PyTorch uses on GPUs.

The generator's state is an argument of the program, which each step hands on: its key, and the number of blocks drawn
so far. The numbers are those of no PyTorch device, but as many are drawn, by the same work."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.formulas import Term
from ndpir.frontends.stablehlo.formulas import FORMULAS
from ndpir.frontends.stablehlo.random_bits import Bits
from ndpir.frontends.torch.aten.elementwise import element_of_type
from ndpir.frontends.torch.call import F32, AtenCall, converts, element_of

STATE = "rng_state"
"""The name of the argument with the generator's state: its key and its counter, two numbers of ui64."""


def random_words(call: AtenCall, shape: Sequence[int]) -> SSAValue:
    """Random words of 32 bits."""
    state = call.values.random_state()
    key, counter = (call.reshaped(call.sliced(state, [at], [at + 1]), ()) for at in range(2))
    bits = Bits(call)
    drawn, (low, *_) = bits.philox(key, [counter], tuple(shape), 32)
    parts = [call.reshaped(each, (1,)) for each in (key, low)]
    call.values.assign(STATE, call.build(g.ConcatOp, *parts, axis=0))
    return drawn


def kept_elements(call: AtenCall, shape: Sequence[int], rate: float) -> SSAValue:
    """Truth values that are false with a probability of `rate`."""
    words = random_words(call, shape)
    threshold = min(int(rate * (1 << 32)), (1 << 32) - 1)
    return call.build(g.CompareOp, words, call.constant(np.array(threshold, np.uint32)), kind="ge")


def uniform_numbers(call: AtenCall, shape: Sequence[int]) -> Term:
    """Numbers of f32 drawn evenly from [0, 1): the upper 24 bits of random words."""
    words = call.build(g.ShiftOp, random_words(call, shape), call.constant(np.array(8, np.uint32)), kind="right")
    return Term(call, call.cast(words, F32)) * 2.0**-24


def normal_numbers(call: AtenCall, shape: Sequence[int]) -> Term:
    """Numbers of f32 of the standard normal distribution, by the inverse of its distribution function."""
    u = uniform_numbers(call, shape) * 2.0 - (1.0 - 2.0**-24)
    return FORMULAS["chlo.erf_inv"](u) * sqrt(2.0)


@converts("dropout", "native_dropout", "feature_dropout", "alpha_dropout")
def dropout(call: AtenCall) -> list[SSAValue]:
    """The operand in inference; in training, elements are zero at random, and the others grow in turn."""
    x = call["input"]
    rate = call.real("p", 0.5)
    trains = call.flag("train", True)
    masks = call.node.op == "aten.native_dropout"
    if not trains or not rate:
        return [x, call.splat(True, call.result(1))] if masks else [x]
    if call.node.op == "aten.alpha_dropout":
        call.fail("alpha dropout in training is not supported; use dropout")
    shape = g.shape_of(x)
    drawn = (*shape[:2], *(1,) * (len(shape) - 2)) if call.node.op == "aten.feature_dropout" else shape
    if rate == 1.0:
        return [call.splat(0, g.tensor_of(x)), *([call.splat(False, call.result(1))] if masks else [])]
    kept = kept_elements(call, drawn, rate)
    grown = call.build(g.MulOp, x, call.number(1 / (1 - rate), element_of(x)))
    y = call.build(g.SelectOp, kept, grown, call.number(0, element_of(x)))
    return [y, kept] if masks else [y]


@converts("bernoulli", "bernoulli_")
def bernoulli(call: AtenCall) -> SSAValue:
    x = call["self"]
    if call.has("p") and not call.is_tensor("p"):
        kept = kept_elements(call, g.shape_of(x), 1 - call.real("p"))
        return call.cast(kept, element_of(x))
    rates = call.term(call["p"] if call.has("p") else x)
    return call.cast(uniform_numbers(call, g.shape_of(x)).compare("lt", rates).value, element_of(x))


@converts("rand", "rand_like", "uniform", "uniform_")
def rand(call: AtenCall) -> SSAValue:
    type_ = call.result() if not call.node.op.endswith("uniform_") else g.tensor_of(call["self"])
    made = uniform_numbers(call, type_.get_shape())
    if "uniform" in call.node.op:
        low, high = call.real("from", 0.0), call.real("to", 1.0)
        made = made * (high - low) + low
    return call.cast(made.value, element_of_type(type_))


@converts("randn", "randn_like", "normal_functional", "normal_")
def randn(call: AtenCall) -> SSAValue:
    type_ = g.tensor_of(call["self"]) if call.node.op.endswith("normal_") else call.result()
    made = normal_numbers(call, type_.get_shape())
    if "normal" in call.node.op:
        made = made * call.real("std", 1.0) + call.real("mean", 0.0)
    return call.cast(made.value, element_of_type(type_))


@converts("exponential", "exponential_")
def exponential(call: AtenCall) -> SSAValue:
    type_ = g.tensor_of(call["self"])
    made = -(1.0 - uniform_numbers(call, type_.get_shape()))(g.LogOp) / call.real("lambd", 1.0)
    return call.cast(made.value, element_of_type(type_))


@converts("randint", "randint_like")
def randint(call: AtenCall) -> SSAValue:
    """Whole numbers from `low` to `high` - 1."""
    type_ = call.result()
    low, high = call.integer("low", 0), call.integer("high")
    if high - low > 1 << 24:
        call.fail("random numbers of a range beyond 2^24 are not supported")
    made = (uniform_numbers(call, type_.get_shape()) * float(high - low))(g.FloorOp) + float(low)
    return call.cast(made.value, element_of_type(type_))


@converts("randperm")
def randperm(call: AtenCall) -> SSAValue:
    """A random order: the places that sort random numbers."""
    type_ = call.result()
    places = call.build(g.ArgsortOp, random_words(call, type_.get_shape()), axis=0)
    return call.cast(places, element_of_type(type_))

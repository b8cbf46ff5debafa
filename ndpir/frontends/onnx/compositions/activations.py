"""Element-wise operators that are formulas: activations, inverse and hyperbolic functions, means of operands."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import byte_width, tensor_type
from ndpir.frontends.formulas import Formula, Term, acos, acosh, asin, asinh, atan, atanh, cosh, sinh
from ndpir.frontends.onnx.operators import Handler, OnnxNode, element_of, handles
from ndpir.frontends.onnx.tensors import TensorError, element_type


def widened(node: OnnxNode, x: SSAValue) -> Term:
    """`x` in f32, or in f64 if it is f64 already: a formula of several ops is rounded to a narrow type once."""
    return Term(node, node.cast(x, f64 if element_of(x) == f64 else f32))


def _by(formula: Formula) -> Handler:
    def handler(node: OnnxNode) -> SSAValue:
        return node.cast(formula(widened(node, node[0])).value, element_of(node[0]))

    return handler


def softplus(x: Term) -> Term:
    """log(1 + e^x), as max(x, 0) + log(1 + e^-|x|), which does not overflow."""
    return x(g.ReluOp) + (-abs(x))(g.ExpOp)(g.Log1pOp)


for _name, _formula, _newest in (
    ("Acos", acos, 22),
    ("Acosh", acosh, 22),
    ("Asin", asin, 22),
    ("Asinh", asinh, 22),
    ("Atan", atan, 22),
    ("Atanh", atanh, 22),
    ("Cosh", cosh, 22),
    ("Sinh", sinh, 22),
    ("Softplus", softplus, 22),
):
    handles(_name, _newest)(_by(_formula))


def _activation(formula: Callable[[OnnxNode, Term], Term]) -> Handler:
    return lambda node: formula(node, Term(node, node[0])).value


def _elu(x: Term, alpha: float) -> Term:
    return x.compare("lt", 0.0).choose(x(g.Expm1Op) * alpha, x)


def _shrink(node: OnnxNode, x: Term) -> Term:
    bound, bias = node.real("lambd"), node.real("bias")
    above = x.compare("gt", bound).choose(x - bias, 0.0)
    return x.compare("lt", -bound).choose(x + bias, above)


_ACTIVATIONS: tuple[tuple[str, Callable[[OnnxNode, Term], Term], int], ...] = (
    ("Elu", lambda node, x: _elu(x, node.real("alpha")), 22),
    ("Celu", lambda node, x: _elu(x / node.real("alpha"), 1.0) * node.real("alpha"), 28),
    ("Selu", lambda node, x: _elu(x, node.real("alpha")) * node.real("gamma"), 22),
    ("Shrink", _shrink, 9),
    ("Softsign", lambda node, x: x / (abs(x) + 1.0), 22),
    ("ThresholdedRelu", lambda node, x: x.compare("gt", node.real("alpha")).choose(x, 0.0), 22),
)
for _name, _function, _newest in _ACTIVATIONS:
    handles(_name, _newest)(_activation(_function))


@handles("HardSigmoid", newest=22)
def hard_sigmoid(node: OnnxNode) -> SSAValue:
    """alpha * x + beta, limited to [0, 1]."""
    scaled = Term(node, node[0]) * node.real("alpha") + node.real("beta")
    return scaled(g.ClipOp, min=0.0, max=1.0).value


@handles("LeakyRelu", newest=16)
def leaky_relu(node: OnnxNode) -> SSAValue:
    """x where x is at least 0, else alpha * x."""
    x = Term(node, node[0])
    return x.compare("lt", 0.0).choose(x * node.real("alpha"), x).value


@handles("PRelu", newest=16)
def p_relu(node: OnnxNode) -> SSAValue:
    """x where x is at least 0, else slope * x; the slope broadcasts to x."""
    x, slope = Term(node, node[0]), Term(node, node[1])
    if g.broadcast_shapes(g.shape_of(node[0]), g.shape_of(node[1])) != g.shape_of(node[0]):
        node.fail(f"a slope of shape {list(g.shape_of(node[1]))} does not broadcast to {node[0].type}; reshape it")
    return x.compare("lt", 0.0).choose(x * slope, x).value


@handles("Swish", newest=24)
def swish(node: OnnxNode) -> SSAValue:
    """x * sigmoid(alpha * x)."""
    x, alpha = Term(node, node[0]), node.real("alpha")
    return x(g.SiluOp).value if alpha == 1 else (x * (x * alpha)(g.SigmoidOp)).value


@handles("Mean", newest=13)
def mean(node: OnnxNode) -> SSAValue:
    """The sum of the operands, with broadcasting, divided by their number."""
    total = Term(node, node[0])
    for index in range(1, len(node.inputs)):
        total = total + Term(node, node[index])
    return total.value if len(node.inputs) == 1 else (total / len(node.inputs)).value


@handles("BitCast", newest=26)
def bit_cast(node: OnnxNode) -> SSAValue:
    """The same bits read as another element type of the same width."""
    try:
        element = element_type(node.integer("to"))
    except TensorError as error:
        node.fail(f"the result {error}")
    x = node[0]
    if element == element_of(x):
        return x
    if byte_width(element) != byte_width(element_of(x)):
        node.fail(f"{element_of(x)} and {element} differ in width; name a type of as many bits (`to`)")
    return node.build(g.BitcastOp, x, result_type=tensor_type(g.shape_of(x), element))

"""Converters for ops that are written as formulas of other ops: batch norms, and functions of CHLO, whose formulas are
those of CHLO's own decomposition (github.com/openxla/stablehlo, stablehlo/transforms/ChloLegalizeToStablehlo.cpp)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log, nan, pi

import numpy as np
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import IntegerType, dtype_of, element_type_named, is_float, tensor_type
from dialects.graph.patterns.matching import SIGNIFICAND
from ndpir.frontends.formulas import Formula, Term, acos, acosh, asin, asinh, atan, atanh, cosh, sinh
from ndpir.frontends.stablehlo.building import CONVERTERS, Building, Converter, converts

_INVERSE_32 = (
    (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
     0.246640727, 1.50140941),
    (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
     1.00167406, 2.83297682),
)  # fmt: skip
_INVERSE_64 = (
    (-3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18, 1.115787767802518096e-17,
     -1.333171662854620906e-16, 2.0972767875968561637e-17, 6.6376381343583238325e-15, -4.0545662729752068639e-14,
     -8.1519341976054721522e-14, 2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
     1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
     -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352, -0.00074070253416626697512,
     -0.0060336708714301490533, 0.24015818242558961693, 1.6536545626831027356),
    (2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
     1.5027403968909827627e-06, -4.013867526981545969e-06, 2.9234449089955446044e-06, 1.2475304481671778723e-05,
     -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
     0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066, -0.0037512085075692412107,
     0.005370914553590063617, 1.0052589676941592334, 3.0838856104922207635),
    (-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09, -3.7894654401267369937e-09,
     7.6157012080783393804e-09, -1.4960026627149240478e-08, 2.9147953450901080826e-08, -6.7711997758452339498e-08,
     2.2900482228026654717e-07, -9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
     7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026, 1.0103004648645343977,
     4.8499064014085844221),
)  # fmt: skip
"""Coefficients of the inverse error function in w = -log(1 - x^2), by ranges of w, for f32 and f64 (M. Giles,
Approximating the erfinv function, GPU Computing Gems 2, 2012)."""


def _erf_inv(x: Term) -> Term:
    """erfinv(x) = x p(w) with w = -log(1 - x^2) and one polynomial p for each range of w."""
    w = -(x * -x)(g.Log1pOp)
    root = w(g.SqrtOp)
    if g.tensor_of(x.value).element_type == Float64Type():
        near, far, furthest = _INVERSE_64
        last = w.compare("lt", 16.0).choose((root - 3.25).polynomial(far), (root - 5.0).polynomial(furthest))
        p = w.compare("lt", 6.25).choose((w - 3.125).polynomial(near), last)
    else:
        near, far = _INVERSE_32
        p = w.compare("lt", 5.0).choose((w - 2.5).polynomial(near), (root - 3.0).polynomial(far))
    return abs(x).compare("eq", 1.0).choose(x * inf, p * x)


_LANCZOS_BASE, _LANCZOS_GAMMA = 0.99999999999980993227684700473478, 7.0
_LANCZOS = (
    676.520368121885098567009190444019, -1259.13921672240287047156078755283, 771.3234287776530788486528258894,
    -176.61502916214059906584551354, 12.507343278686904814458936853, -0.13857109526572011689554707,
    9.984369578019570859563e-6, 1.50563273514931155834e-7,
)  # fmt: skip
"""Coefficients for the gamma function (C. Lanczos, A Precision Approximation of the Gamma Function, SIAM J. Numer.
Anal. B 1, 1964; g = 7, n = 9)."""


def _lanczos(x: Term) -> tuple[Term, Term, Term, Term, Term]:
    """Terms of Lanczos' approximation of gamma(x), with z = x - 1, or z = -x where x < 1/2, since gamma is reflected
    there.

    The terms are: True where x < 1/2; z; log(z + g + 1/2); a(z), the sum of Lanczos' series; and the derivative of a at
    z.
    """
    reflects = x.compare("lt", 0.5)
    z = reflects.choose(-x, x - 1.0)
    a, slope = z.constant(_LANCZOS_BASE), z.constant(0.0)
    for index, coefficient in enumerate(_LANCZOS):
        term = z + (index + 1.0)
        a, slope = a + coefficient / term, slope - coefficient / (term * term)
    log_t = (z / (_LANCZOS_GAMMA + 0.5))(g.Log1pOp) + log(_LANCZOS_GAMMA + 0.5)
    return reflects, z, log_t, a, slope


def _lgamma(x: Term) -> Term:
    """The logarithm of gamma(x) by Lanczos' approximation; for x < 1/2 by reflection, gamma(x) gamma(1 - x) = pi /
    sin(pi x)."""
    reflects, z, log_t, a, _ = _lanczos(x)
    t = z + (_LANCZOS_GAMMA + 0.5)
    direct = (z + 0.5 - t / log_t) * log_t + (log(2) + log(pi)) / 2 + a(g.LogOp)
    size = abs(x)
    part = size - size(g.FloorOp)
    part = part.compare("gt", 0.5).choose(1.0 - part, part)
    sine = (part * pi)(g.SinOp)(g.LogOp)
    reflected = sine(g.IsFiniteOp).choose(log(pi) - sine - direct, -sine)
    return size.compare("eq", inf).choose(x.constant(inf), reflects.choose(reflected, direct))


def _digamma(x: Term) -> Term:
    """digamma(x), the derivative of the logarithm of Lanczos' approximation; for x < 1/2 by reflection, digamma(1 - x)
    - pi cot(pi x)."""
    reflects, z, log_t, a, slope = _lanczos(x)
    direct = log_t + slope / a - _LANCZOS_GAMMA / (z + (_LANCZOS_GAMMA + 0.5))
    angle = (x + abs((x + 0.5)(g.FloorOp))) * pi
    reflected = direct - angle(g.CosOp) * pi / angle(g.SinOp)
    is_pole = x.compare("le", 0.0)(g.AndOp, x.compare("eq", x(g.FloorOp)))
    return is_pole.choose(x.constant(nan), reflects.choose(reflected, direct))


_BERNOULLI = (
    -7.1661652561756670113e18, 1.8152105401943546773e17, -4.5979787224074726105e15, 1.1646782814350067249e14,
    -2.950130727918164224e12, 7.47242496e10, -1.8924375803183791606e9, 47900160.0, -1209600.0, 30240.0, -720.0, 12.0,
)  # fmt: skip
"""The quotients (2k)! / B(2k) with the Bernoulli numbers B, for k = 12 down to 1 (F. Johansson, Rigorous High-precision
Computation of the Hurwitz Zeta Function and its Derivatives, Numer. Algorithms 69, 2015, formula 5)."""


def _is_integer(x: Term) -> Term:
    return x.compare("eq", x(g.FloorOp))


def _zeta(x: Term, q: Term) -> Term:
    """zeta(x, q), the sum of (q + k)^-x over k ≥ 0: the first ten terms of the sum, and an Euler-Maclaurin formula with
    twelve Bernoulli numbers for the remaining terms."""
    base, exponent = q, -x
    total = base(g.PowOp, exponent)
    for _ in range(9):
        base = base + 1.0
        total = total + base(g.PowOp, exponent)
    base = base + 1.0
    last = base(g.PowOp, exponent)
    inverse_square, series = 1.0 / (base * base), x.constant(0.0)
    for k, coefficient in zip(range(11, 0, -1), _BERNOULLI, strict=False):
        series = (x + 2.0 * k) * (x + (2.0 * k - 1.0)) * (inverse_square * (series + 1.0 / coefficient))
    tail = last * (x / base * (series + 1.0 / _BERNOULLI[-1]) + 0.5)
    rest = last * base / (x - 1.0) + tail
    least = float(np.finfo(dtype_of(g.tensor_of(x.value).element_type)).smallest_subnormal)
    found = abs(last).compare("lt", abs(total) * least).choose(total, total + rest)
    undefined = x.compare("lt", 1.0)(g.OrOp, q.compare("le", 0.0)(g.AndOp, _is_integer(x)(g.NotOp)))
    is_even = x(g.RemOp, 2.0).compare("eq", 0.0)
    is_infinite = x.compare("eq", 1.0)
    is_pole = q.compare("le", 0.0)(g.AndOp, _is_integer(q))
    at_pole = is_even.choose(x.constant(inf), nan)
    return is_infinite.choose(x.constant(inf), is_pole.choose(at_pole, undefined.choose(x.constant(nan), found)))


def _polygamma(n: Term, x: Term) -> Term:
    """polygamma(n, x) = (-1)^(n + 1) n! zeta(n + 1, x); digamma(x) for n = 0."""
    order = n + 1.0
    size = _lgamma(order)(g.ExpOp) * _zeta(order, x)
    signed = (n(g.RemOp, 2.0) * 2.0 - 1.0) * size
    is_natural = _is_integer(n)(g.AndOp, n.compare("ge", 0.0))
    return is_natural.choose(n.compare("eq", 0.0).choose(_digamma(x), signed), nan)


_BESSEL_NEAR = (
    2.77791411276104639959e-18, -2.11142121435816608115e-17, 1.55363195773620046921e-16, -1.10559694773538630805e-15,
    7.60068429473540693410e-15, -5.04218550472791168711e-14, 3.22379336594557470981e-13, -1.98397439776494371520e-12,
    1.17361862988909016308e-11, -6.66348972350202774223e-11, 3.62559028155211703701e-10, -1.88724975172282928790e-9,
    9.38153738649577178388e-9, -4.44505912879632808065e-8, 2.00329475355213526229e-7, -8.56872026469545474066e-7,
    3.47025130813767847674e-6, -1.32731636560394358279e-5, 4.78156510755005422638e-5, -1.61760815825896745588e-4,
    5.12285956168575772895e-4, -1.51357245063125314899e-3, 4.15642294431288815669e-3, -1.05640848946261981558e-2,
    2.47264490306265168283e-2, -5.29459812080949914269e-2, 1.02643658689847095384e-1, -1.76416518357834055153e-1,
    2.52587186443633654823e-1,
)  # fmt: skip
_BESSEL_FAR = (
    7.51729631084210481353e-18, 4.41434832307170791151e-18, -4.65030536848935832153e-17, -3.20952592199342395980e-17,
    2.96262899764595013876e-16, 3.30820231092092828324e-16, -1.88035477551078244854e-15, -3.81440307243700780478e-15,
    1.04202769841288027642e-14, 4.27244001671195135429e-14, -2.10154184277266431302e-14, -4.08355111109219731823e-13,
    -7.19855177624590851209e-13, 2.03562854414708950722e-12, 1.41258074366137813316e-11, 3.25260358301548823856e-11,
    -1.89749581235054123450e-11, -5.58974346219658380687e-10, -3.83538038596423702205e-9, -2.63146884688951950684e-8,
    -2.51223623787020892529e-7, -3.88256480887769039346e-6, -1.10588938762623716291e-4, -9.76109749136146840777e-3,
    7.78576235018280120474e-1,
)  # fmt: skip
"""Chebyshev coefficients, highest order first, of two functions: e^-x I1(x) / x for |x| ≤ 8, and e^-x I1(x) sqrt(x) for
larger |x| (S. Moshier, Cephes Mathematical Library, i1.c). For f32, the last 17 and the last 7 coefficients are
enough."""


def _chebyshev(x: Term, coefficients: Sequence[float]) -> Term:
    """Half the sum of a Chebyshev series at x, by Clenshaw's recurrence."""
    one = two = last = x.constant(0.0)
    for coefficient in coefficients:
        one, two, last = x * one - two + coefficient, one, two
    return (one - last) * 0.5


def _bessel_i1e(x: Term) -> Term:
    """e^-|x| I1(x), computed by one Chebyshev series for |x| ≤ 8 and by another for larger |x|."""
    is_double = g.tensor_of(x.value).element_type == Float64Type()
    near, far = (_BESSEL_NEAR, _BESSEL_FAR) if is_double else (_BESSEL_NEAR[-17:], _BESSEL_FAR[-7:])
    size = abs(x)
    small = size * _chebyshev(size * 0.5 - 2.0, near)
    large = _chebyshev(32.0 / size - 2.0, far) / size(g.SqrtOp)
    return x(g.SignOp) * size.compare("le", 8.0).choose(small, large)


FORMULAS: dict[str, Formula] = {
    "chlo.acos": acos,
    "chlo.acosh": acosh,
    "chlo.asin": asin,
    "chlo.asinh": asinh,
    "chlo.atan": atan,
    "chlo.atanh": atanh,
    "chlo.bessel_i1e": _bessel_i1e,
    "chlo.conj": lambda x: x,
    "chlo.cosh": cosh,
    "chlo.digamma": _digamma,
    "chlo.erf_inv": _erf_inv,
    "chlo.is_inf": lambda x: abs(x).compare("eq", inf),
    "chlo.is_neg_inf": lambda x: x.compare("eq", -inf),
    "chlo.is_pos_inf": lambda x: x.compare("eq", inf),
    "chlo.lgamma": _lgamma,
    "chlo.sinh": sinh,
}
"""Formulas of one operand by op name; they are computed in f32, or in f64 for operands of f64."""
BINARY_FORMULAS: dict[str, Callable[[Term, Term], Term]] = {"chlo.polygamma": _polygamma, "chlo.zeta": _zeta}
"""Formulas of two operands by op name."""


def _by(formula: Callable[..., Term]) -> Converter:
    def convert(b: Building, xs: list[SSAValue]) -> SSAValue:
        element = g.tensor_of(xs[0]).element_type
        if not is_float(element):
            b.fail(f"the operands must hold floating-point numbers, not {element}; convert them")
        wide = element if element in (Float32Type(), Float64Type()) else Float32Type()
        made = formula(*(Term(b, b.cast(x, wide)) for x in xs)).value
        return made if b.result().element_type == IntegerType(1) else b.cast(made, element)

    convert.__doc__ = formula.__doc__
    return convert


CONVERTERS.update({name: _by(formula) for name, formula in (FORMULAS | BINARY_FORMULAS).items()})


@converts("reduce_precision")
def reduce_precision(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Rounds to a format with fewer bits by integer arithmetic on the bits: the fraction is rounded to nearest, ties to
    even. Numbers beyond the format's range become infinities, and numbers below its least normal number become zeros
    of the same sign."""
    exponent, mantissa = b.integer("exponent_bits"), b.integer("mantissa_bits")
    if exponent < 1 or mantissa < 0:
        b.fail(f"`exponent_bits` must be at least 1 and `mantissa_bits` at least 0, not {exponent} and {mantissa}")
    type_ = g.tensor_of(xs[0])
    if not is_float(type_.element_type):
        b.fail(f"the operand must hold floating-point numbers, not {type_.element_type}; convert it")
    width = 8 * dtype_of(type_.element_type).itemsize
    fraction = SIGNIFICAND[type(type_.element_type)] - 1
    largest = (1 << (width - 1 - fraction)) - 1  # biased exponent of infinities
    unsigned = tensor_type(type_.get_shape(), element_type_named(f"ui{width}"))
    original = bits = Term(b, b.build(g.BitcastOp, xs[0], result_type=unsigned))
    if (cut := fraction - mantissa) > 0:
        is_odd = bits(g.ShiftOp, cut, kind="right")(g.AndOp, 1)
        bits = (bits + (is_odd + ((1 << (cut - 1)) - 1)))(g.AndOp, (1 << width) - (1 << cut))
    if (bias := largest >> 1) > (reach := (1 << (min(exponent, width) - 1)) - 1):
        size = bits(g.AndOp, largest << fraction)
        sign = bits(g.AndOp, 1 << (width - 1))
        small = size.compare("le", (bias - reach) << fraction).choose(sign, bits)
        bits = size.compare("gt", (bias + reach) << fraction).choose(sign(g.OrOp, largest << fraction), small)
    if bits is original:
        return xs[0]
    rounded = Term(b, b.build(g.BitcastOp, bits.value, result_type=type_))
    x = Term(b, xs[0])
    return x.compare("ne", x).choose(x, rounded).value


@converts("chlo.next_after")
def next_after(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The neighbour of the first operand in the direction of the second: its bits, as an integer, plus or minus 1. The
    neighbour of zero is the least subnormal number with the sign of the second operand."""
    type_ = g.tensor_of(xs[0])
    if not is_float(type_.element_type):
        b.fail(f"the operands must hold floating-point numbers, not {type_.element_type}; convert them")
    width = 8 * dtype_of(type_.element_type).itemsize
    unsigned = tensor_type(type_.get_shape(), element_type_named(f"ui{width}"))
    x, y = (Term(b, each) for each in xs)
    own, other = (Term(b, b.build(g.BitcastOp, each, result_type=unsigned)) for each in xs)
    size, other_size = (bits(g.AndOp, (1 << (width - 1)) - 1) for bits in (own, other))
    sign, other_sign = (bits(g.AndOp, 1 << (width - 1)) for bits in (own, other))
    is_inwards = sign.compare("ne", other_sign)(g.OrOp, size.compare("gt", other_size))
    step = is_inwards.choose(own - 1, own + 1)
    moved = size.compare("eq", 0).choose(other_sign(g.OrOp, 1), step)
    found = Term(b, b.build(g.BitcastOp, x.compare("eq", y).choose(other, moved).value, result_type=type_))
    is_nan = x.compare("ne", x)(g.OrOp, y.compare("ne", y))
    return is_nan.choose(x + y, found).value


_HALF = (1 << 32) - 1


@converts("chlo.mulhi")
def mulhi(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The upper half of the bits of a product; for 64 bits, computed from four products of 32-bit halves (Warren,
    Hacker's Delight, 8-2)."""
    type_ = g.tensor_of(xs[0])
    element, dtype = type_.element_type, dtype_of(type_.element_type)
    if dtype.kind not in "iu":
        b.fail(f"the operands must hold integers, not {element}; convert them")
    if dtype.itemsize == 8:
        unsigned = tensor_type(type_.get_shape(), element_type_named("ui64"))
        x, y = (Term(b, b.build(g.BitcastOp, each, result_type=unsigned)) for each in xs)
        (x_low, x_high), (y_low, y_high) = (
            (each(g.AndOp, _HALF), each(g.ShiftOp, 32, kind="right")) for each in (x, y)
        )
        first = x_high * y_low + (x_low * y_low)(g.ShiftOp, 32, kind="right")
        second = x_low * y_high + first(g.AndOp, _HALF)
        high = x_high * y_high + first(g.ShiftOp, 32, kind="right") + second(g.ShiftOp, 32, kind="right")
        if dtype.kind == "i":  # a negative number's bits, read as unsigned, are 2^64 larger
            high = high - x(g.ShiftOp, 63, kind="right") * y - y(g.ShiftOp, 63, kind="right") * x
        return b.build(g.BitcastOp, high.value, result_type=type_)
    wide = IntegerType(64)
    product = b.build(g.MulOp, *(b.cast(x, wide) for x in xs))
    bits = b.constant(np.array(8 * dtype.itemsize, np.int64))
    return b.cast(b.build(g.ShiftOp, product, bits, kind="arithmetic"), element)


# Batch norms (specification, batch_norm_grad, batch_norm_inference, batch_norm_training).


class _Features:
    """A tensor with a feature axis, reduced over all other axes."""

    def __init__(self, b: Building, x: SSAValue) -> None:
        self.b, self.shape, self.x = b, g.shape_of(x), Term(b, x)
        self.axis = b.integer("feature_index")
        self.others = tuple(axis for axis in range(len(self.shape)) if axis != self.axis)
        self.count = float(np.prod([self.shape[axis] for axis in self.others]))

    def spread(self, x: SSAValue) -> Term:
        """A vector with one number for each feature, reshaped so that it broadcasts over the tensor."""
        return Term(self.b, self.b.reshaped(x, [n if a == self.axis else 1 for a, n in enumerate(self.shape)]))

    def sum(self, x: Term) -> Term:
        return x(g.ReduceOp, kind="sum", axes=self.others) if self.others else x

    def deviation(self, variance: SSAValue) -> Term:
        """The standard deviation: the square root of the variance plus `epsilon`."""
        epsilon = self.b.get("epsilon")
        if not isinstance(epsilon, int | float):
            self.b.fail(f"`epsilon` must be a number, not {epsilon}")
        return (self.spread(variance) + epsilon)(g.SqrtOp)

    def normalized(self, scale: SSAValue, offset: SSAValue, mean: SSAValue, variance: SSAValue) -> SSAValue:
        centred = (self.x - self.spread(mean)) / self.deviation(variance)
        return (self.spread(scale) * centred + self.spread(offset)).value


@converts("batch_norm_inference")
def batch_norm_inference(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The specification's formula (section batch_norm_inference), with mean and variance as operands."""
    x, *statistics = xs
    scale, offset, mean, variance = statistics
    return _Features(b, x).normalized(scale, offset, mean, variance)


@converts("batch_norm_training")
def batch_norm_training(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """The specification's formula (section batch_norm_training); mean and variance are taken over all axes except the
    feature axis."""
    x, scale, offset = xs
    features = _Features(b, x)
    mean = features.sum(features.x) / features.count
    centred = features.x - features.spread(mean.value)
    variance = features.sum(centred * centred) / features.count
    return [features.normalized(scale, offset, mean.value, variance.value), mean.value, variance.value]


@converts("batch_norm_grad")
def batch_norm_grad(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """The specification's formula (section batch_norm_grad); sums are taken over all axes except the feature axis."""
    x, scale, mean, variance, output_gradient = xs
    features, gradient = _Features(b, x), Term(b, output_gradient)
    centred, deviation = features.x - features.spread(mean), features.deviation(variance)
    offset = features.sum(gradient)
    along = features.sum(gradient * centred)
    rest = gradient * features.count - features.spread(offset.value)
    rest = rest - features.spread(along.value) * centred / (deviation * deviation)
    input_gradient = features.spread(scale) / deviation / features.count * rest
    return [input_gradient.value, features.sum(gradient * (centred / deviation)).value, offset.value]

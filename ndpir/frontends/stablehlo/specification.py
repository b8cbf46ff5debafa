"""The ops of the StableHLO specification and of CHLO: the section that defines each op, and the reasons for unsupported
ops.

Supported ops have a converter (building.py) that follows the op's section.
"""

from __future__ import annotations

OTHER_DIALECTS = ("sdy.manual_computation", "sdy.sharding_constraint")
"""Ops of other dialects that JAX uses in StableHLO programs, both supported and refused."""
SPECIFICATION = "https://openxla.org/stablehlo/spec"
CHLO = "https://openxla.org/stablehlo/generated/chlo"

_SECTIONS = """
abs add after_all all_gather all_reduce all_to_all and async_done async_start atan2 batch_norm_grad
batch_norm_inference batch_norm_training bitcast_convert broadcast_in_dim case cbrt ceil cholesky clamp
collective_broadcast collective_permute collective_reduce compare complex composite concatenate constant convert
convolution cosine count_leading_zeros custom_call divide dot_general dynamic_broadcast_in_dim dynamic_conv
dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice exponential
exponential_minus_one fft floor gather get_dimension_size get_tuple_element if imag infeed iota is_finite log
log_plus_one logistic map maximum minimum multiply negate not optimization_barrier or outfeed pad partition_id
popcnt power real recv reduce reduce_precision reduce_scatter reduce_window remainder replica_id reshape reverse rng
rng_bit_generator round_nearest_afz round_nearest_even rsqrt scatter select select_and_scatter send shift_left
shift_right_arithmetic shift_right_logical sign sine slice sort sqrt subtract tan tanh transpose triangular_solve
tuple uniform_dequantize uniform_quantize while xor
"""
SECTIONS = tuple(_SECTIONS.split())
"""The sections on ops in the specification of StableHLO 1.17."""
_CHLO_OPS = """
_asin_acos_kernel acos acosh asin asinh atan atanh bessel_i1e broadcast_add broadcast_and broadcast_atan2
broadcast_compare broadcast_complex broadcast_divide broadcast_maximum broadcast_minimum broadcast_multiply
broadcast_next_after broadcast_or broadcast_polygamma broadcast_power broadcast_remainder broadcast_select
broadcast_shift_left broadcast_shift_right_arithmetic broadcast_shift_right_logical broadcast_subtract broadcast_xor
broadcast_zeta conj constant constant_like cosh digamma erf erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma mulhi
next_after polygamma ragged_dot scan sinh square tan top_k zeta
"""
CHLO_OPS = tuple(_CHLO_OPS.split())
"""The names of CHLO's ops in jaxlib 0.10."""
OPS_WITHOUT_SECTION = {
    "broadcast": "broadcast_in_dim",
    "call": "module-function-call-and-return",
    "create_token": "after_all",
    "dot": "dot_general",
    "einsum": "dot_general",
    "get_dimension_size": "get_dimension_size",
    "real_dynamic_slice": "slice",
    "return": "module-function-call-and-return",
    "set_dimension_size": "get_dimension_size",
    "torch_index_select": "gather",
    "unary_einsum": "dot_general",
}
"""StableHLO ops that have no section in the specification, each with the section of the most similar op."""

ONE_DEVICE = (
    "only programs for one device are supported; lower the function for one (without shard_map, pmap or shardings)"
)
_NO_EFFECTS = "side effects are not supported; lower the function without jax.debug, callbacks, infeed and outfeed"
_NO_COMPLEX = "complex numbers are not supported; pass and compute their real and imaginary parts as separate tensors"
_NO_QUANTA = "quantized types are not supported; compute with the integers, their scales and zero points"
_NO_FACTORS = (
    "matrix factorizations are not supported; compute it outside of the program, and pass its result as an argument"
)
REFUSED = {
    **dict.fromkeys(
        ("after_all", "async_done", "async_start", "create_token", "infeed", "outfeed", "recv", "send"), _NO_EFFECTS
    ),
    **dict.fromkeys(("chlo._asin_acos_kernel", "chlo.broadcast_complex", "complex", "imag", "real"), _NO_COMPLEX),
    **dict.fromkeys(("uniform_dequantize", "uniform_quantize"), _NO_QUANTA),
    **dict.fromkeys(("cholesky", "triangular_solve"), _NO_FACTORS),
    **dict.fromkeys(("collective_reduce", "sdy.manual_computation"), ONE_DEVICE),
    "dynamic_conv": "computed padding is not supported; lower the function for known shapes",
    "einsum": "this op is no longer in the specification; write dot_general, as jax.numpy.einsum does",
    "fft": "Fourier transforms are not supported; run them outside of the program, and pass the result as an argument",
    "rng": "its numbers would differ from run to run; draw them from a key (jax.random)",
    "set_dimension_size": "changing extents are not supported; lower the function for known shapes",
    "torch_index_select": "this op is no longer in the specification; write gather",
    "unary_einsum": "this op is no longer in the specification; write dot_general, as jax.numpy.einsum does",
}  # fmt: skip
"""For each unsupported op: the reason, and a way to avoid the op."""


def section_of(name: str) -> str | None:
    """The address of the section that defines an op, by the op's name without `stablehlo.`; None for an op of neither
    StableHLO nor CHLO."""
    if name.removeprefix("chlo.") in CHLO_OPS and name.startswith("chlo."):
        return f"{CHLO}#{name.replace('.', '')}_chlo{''.join(part.title() for part in name[5:].split('_'))}op".lower()
    if name in OTHER_DIALECTS:
        return "https://openxla.org/shardy/sdy_dialect"
    section = OPS_WITHOUT_SECTION.get(name, name if name in SECTIONS else None)
    return None if section is None else f"{SPECIFICATION}#{section}"

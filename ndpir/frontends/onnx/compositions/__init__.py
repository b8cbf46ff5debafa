"""ONNX operators that are compositions of several graph ops, one file per subject."""

from ndpir.frontends.onnx.compositions import activations as activations
from ndpir.frontends.onnx.compositions import einsum as einsum
from ndpir.frontends.onnx.compositions import filters as filters
from ndpir.frontends.onnx.compositions import fourier as fourier
from ndpir.frontends.onnx.compositions import normalizations as normalizations
from ndpir.frontends.onnx.compositions import ordering as ordering
from ndpir.frontends.onnx.compositions import positions as positions
from ndpir.frontends.onnx.compositions import reductions as reductions
from ndpir.frontends.onnx.compositions import resizing as resizing
from ndpir.frontends.onnx.compositions import sampling as sampling

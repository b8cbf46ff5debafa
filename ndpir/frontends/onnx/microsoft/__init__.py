"""Import of the operators of com.microsoft that exporters and onnxruntime's optimizer write for language models:
attention with caches, rotations of positions, products of packed weights, norms of sums."""

from ndpir.frontends.onnx.microsoft import activations as activations
from ndpir.frontends.onnx.microsoft import attention as attention
from ndpir.frontends.onnx.microsoft import norms as norms
from ndpir.frontends.onnx.microsoft import packed as packed
from ndpir.frontends.onnx.microsoft import rotary as rotary

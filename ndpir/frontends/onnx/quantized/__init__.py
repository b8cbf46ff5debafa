"""Import of operators on quantized values: those of the ONNX standard, and those of com.microsoft that onnxruntime's
quantizers write."""

from ndpir.frontends.onnx.quantized import elementwise as elementwise
from ndpir.frontends.onnx.quantized import products as products
from ndpir.frontends.onnx.quantized import scaling as scaling

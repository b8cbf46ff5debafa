"""Import of operators with steps or branches: Loop, Scan, If, and recurrent layers, as counted loops where they
repeat."""

from ndpir.frontends.onnx.control import branches as branches
from ndpir.frontends.onnx.control import recurrent as recurrent
from ndpir.frontends.onnx.control import repeated as repeated

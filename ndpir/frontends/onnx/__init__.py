"""The ONNX front end: the graph ops that each ONNX operator becomes; a model is read without its weights."""

from ndpir.frontends.onnx.importer import import_model, import_onnx
from ndpir.frontends.onnx.operators import OnnxNode, handles

__all__ = ["OnnxNode", "handles", "import_model", "import_onnx"]

"""The ONNX front end: `import_onnx(path, dims)` reads a model into the graph dialect, without reading its weights."""

from ndpir.frontends.onnx.importer import import_model, import_onnx
from ndpir.frontends.onnx.operators import OnnxNode, handles

__all__ = ["OnnxNode", "handles", "import_model", "import_onnx"]

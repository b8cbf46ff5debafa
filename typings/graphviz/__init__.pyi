"""The types of what we use of graphviz 0.21, which brings none of its own."""

from collections.abc import Mapping

class Digraph:
    source: str

    def __init__(
        self,
        name: str | None = None,
        *,
        graph_attr: Mapping[str, str] | None = None,
        node_attr: Mapping[str, str] | None = None,
        edge_attr: Mapping[str, str] | None = None,
    ) -> None: ...
    def node(self, name: str, label: str | None = None, **attrs: str) -> None: ...
    def edge(self, tail_name: str, head_name: str, **attrs: str) -> None: ...
    def subgraph(self, graph: Digraph) -> None: ...

def escape(s: str) -> str: ...
def nohtml(s: str) -> str: ...

"""Drawings of graphs as SVG, without Graphviz: `layout.py` computes the positions, `picture.py` writes the SVG."""

"""Rewrite rules of the pass `fuse`: what exporters and automatic differentiation expand becomes one op again; each file
defines one table of rules."""

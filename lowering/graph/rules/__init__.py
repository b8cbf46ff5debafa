"""Rewrite rules of the pass `fuse`: what exporters and automatic differentiation expand becomes one op again; files
define tables of rules, and what attention needs to find its axes and masks."""

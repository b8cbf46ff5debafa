"""Optimisation passes on graph level: local rewrite rules, fusion of ops into kernels, conversion of element types, and
the choice of memory layouts."""

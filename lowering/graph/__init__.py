"""Passes on graph level: canonicalization, fusion of ops into kernels, conversion of element types, inlining, and the
choice of memory layouts."""

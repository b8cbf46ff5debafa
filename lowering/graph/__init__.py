"""Optimisation passes on graph level: local rewrite rules, fusion, element types, memory layout."""

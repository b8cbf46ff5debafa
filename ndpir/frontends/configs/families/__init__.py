"""Families of language models: for each published `model_type`, the fields of its config file by the facts that they
state, and the published names of its weights."""

from ndpir.frontends.configs.families.dense import DENSE
from ndpir.frontends.configs.families.mixtures import MIXTURES
from ndpir.frontends.configs.families.plain import PLAIN

FAMILIES = DENSE | MIXTURES | PLAIN
"""All families, by `model_type`."""

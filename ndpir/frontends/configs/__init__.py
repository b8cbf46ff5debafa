"""The front end for language models as published: graphs of steps of an inference engine, built from a model's
`config.json`, without any framework.

`read_config` reads the facts of a model from its file: each family of models is a table of field names. `build` writes
the graph of one step, in which the sequences of several groups advance together.
"""

from ndpir.frontends.configs.attention import Group as Group
from ndpir.frontends.configs.config import Config as Config
from ndpir.frontends.configs.reading import read_config as read_config
from ndpir.frontends.configs.step import build as build
from ndpir.frontends.configs.weights import weights_beside as weights_beside

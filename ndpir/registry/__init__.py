"""The registry of dialects, passes, targets, pipelines and plugins by name: which module defines each."""

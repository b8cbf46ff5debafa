"""The target `pim-trace`: vendors' text."""

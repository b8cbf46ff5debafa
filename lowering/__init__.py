"""How programs change: one file a pass. A pass that needs a time asks `interp`."""

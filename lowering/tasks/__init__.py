"""How a function of graph ops becomes tasks and copies, as a policy decides, and notes on its placement."""

"""Task level from graph level: how a function becomes tasks and copies, as a policy decides, loop by loop, and notes on
its placement."""

"""The event loop: in which order and when jobs run on resources, and lower bounds on every schedule of them."""

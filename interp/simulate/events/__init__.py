"""The event loop: jobs on resources, the times of their starts and ends, and bounds on every schedule of them."""

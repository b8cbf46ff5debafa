"""Serving of language models: requests that an engine divides into steps, the compiled time of each step, and the
tokens per second, latency and energy that follow (`ndp-serve`)."""

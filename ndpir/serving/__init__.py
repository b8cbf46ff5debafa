"""Serving of language models: requests that an engine divides into steps, the compiled time of each step, and what follows
for tokens per second, latency and energy (`ndp-serve`)."""

"""Times of fused attention on GPUs: many queries (prefill), one query over a cache (decode), and gradients."""

"""Common to all tests: hypothesis draws the same cases in every run; NDPIR_EXAMPLES=2000 asks for more of them."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ndpir",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=int(os.environ.get("NDPIR_EXAMPLES", "60")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("ndpir")

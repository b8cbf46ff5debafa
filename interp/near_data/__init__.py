"""Programs of near-data units: values, cost and memory."""

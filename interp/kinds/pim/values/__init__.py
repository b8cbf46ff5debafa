"""Values of bank programs: rows, buffers and accumulators hold numbers, rounded as the multiply units round them."""

"""Training steps of nine networks in JAX: products in f16; master weights, norms, softmax and losses in f32."""

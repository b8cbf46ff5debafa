"""Training steps of nine networks in JAX: products in f16, masters, norms, softmax and losses in f32."""

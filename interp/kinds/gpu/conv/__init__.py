"""Times of convolutions on GPUs: the fastest of implicit GEMM, Winograd, FFT and direct kernels."""

// An RTX 4090 with 24 GB and its host under CUDA's unified memory: what does not fit is fetched when kernels fault on it.
hw.device @gpu = "rtx4090"
hw.device @host = "host_managed"
hw.link @gpu to @host = "pcie4_copies"

// An A100 with 40 GB and its host under CUDA's unified memory: what does not fit is fetched when kernels fault on it.
hw.device @gpu = "a100"
hw.device @host = "host_managed"
hw.link @gpu to @host = "pcie4_copies"

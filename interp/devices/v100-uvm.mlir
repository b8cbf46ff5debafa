// A V100 with 32 GB and its host under CUDA's unified memory: what does not fit is fetched when kernels fault on it.
//
// `--set gpu.memory=16GB` gives the smaller V100, `--set host.fault.service=3GB/s` a slower driver.
hw.device @gpu = "v100_sxm2"
hw.device @host = "host_managed"
hw.link @gpu to @host = "pcie3_copies"

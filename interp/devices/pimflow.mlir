// PIMFlow's machine: a GPU of 32 memory channels, 16 of which are PIM; all that moving, waiting and refreshing costs is counted.
//
// Without PIM the GPU has all 32 channels: that is what speed-ups are over. With it, 16 of them remain, half of its bandwidth,
// last-level cache and memory (PIMFlow, layerwise/sim.sh: -gpgpu_n_mem).
hw.device @gpu = "pimflow_gpu"
hw.device @pim = "newton"
hw.link @gpu to @pim = "pimflow_channels"

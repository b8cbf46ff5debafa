// PIMFlow's machine: a GPU of 32 memory channels, 16 of which are PIM; all that moving, waiting and refreshing costs is counted.
//
// Without PIM the GPU has all 32 channels: that is what speed-ups are over. With it, 16 of them remain, half of its bandwidth,
// last-level cache and memory (PIMFlow, layerwise/sim.sh: -gpgpu_n_mem).
//
// A bank program is launched as any kernel of this GPU is, in 5000 cycles of 1365 MHz (see its sheet);
// PIMFlow counts no time for that.
hw.device @gpu = "pimflow_gpu"
hw.device @pim = "newton" {launch = "3.663 us"}
hw.link @gpu to @pim = "pimflow_channels"

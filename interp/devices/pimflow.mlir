// PIMFlow's machine: a GPU of 32 memory channels, 16 of which are PIM; all that moving, waiting and refreshing costs is counted.
//
// Without PIM the GPU has all 32 channels: speed-ups are relative to this GPU. With PIM, 16 channels remain, and half of its bandwidth,
// last-level cache and memory (PIMFlow, layerwise/sim.sh: -gpgpu_n_mem).
//
// The launch of a bank program takes as long as that of any kernel of this GPU, 5000 cycles of 1365 MHz (see its sheet);
// PIMFlow counts no time for launches.
hw.device @gpu = "pimflow_gpu"
hw.device @pim = "newton" {launch = "3.663 us"}
hw.link @gpu to @pim = "pimflow_channels"

// An RTX 4090 beside four cubes of Samsung's HBM-PIM.
//
// No GeForce can drive HBM, so the PIM is memory beside the GPU's own: the GPU keeps its 24 GB of GDDR6X, at 1008 GB/s, and four cubes
// on an interposer of their own add 8 GiB that compute (64 pseudo-channels; a cube's four dies with units hold 2 GiB, hbm_pim.sheet).
// Internally, 4 x 1.23 TB/s are 4.9 times the bandwidth of the GPU's own memory.
//
// The link is assumed: PCI Express 4.0 with 16 lanes, the only connection of an RTX 4090 to other devices (sheet pcie4: 31.5 GB/s, 5
// us). To try a wider one: --set pcie4.bandwidth=448GB/s --set pcie4.latency=392ns.
//
// Chips and pins of the RTX 4090: 384 pins, 21 Gb/s, 12 chips (trendblog.net, tweaktown.com); rates and capacity: sheet rtx4090.
hw.device @gpu = "rtx4090"
hw.device @pim = "hbm_pim" {channels = 64}
hw.link @gpu to @pim = "pcie4"

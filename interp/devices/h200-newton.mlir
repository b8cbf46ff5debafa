// An H200 with 64 channels of Newton-style PIM on its board.
//
// The PIM is memory beside the GPU's own: the GPU keeps its 141 GB of HBM3e in six stacks (6144 pins), at 4800 GB/s, and 32 chips of
// GDDR6 (64 channels of 256 MiB, newton.sheet) add 16 GiB. The PIM equals that of a100-newton, so that the two machines differ in the
// GPU alone. Internally, 64 x 224 GB/s are 3.0 times the bandwidth of the GPU's own memory.
//
// The link is assumed: 448 GB/s, as in a100-newton (16 of PIMFlow's channels of 28 GB/s), which is also about the rate of the GPU's
// NVLink (450 GB/s each way, sheet nvlink4). To try another: --set on_board.bandwidth=900GB/s.
//
// Stacks and pins: AnandTech's table of H200, H100 and A100 (2023-11); rates and capacity: sheet h200_sxm.
hw.device @gpu = "h200_sxm"
hw.device @pim = "newton" {channels = 64}
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s"}

// An H200 with the 32 channels of GDDR6-AiM on its board.
//
// The PIM is memory beside the GPU's own: the GPU keeps its 141 GB of HBM3e in six stacks (6144 pins), at 4800 GB/s, and 16 chips of
// GDDR6-AiM (32 channels of 512 MiB, aim.sheet) add 16 GiB. The PIM equals that of a100-aim, so that the two machines differ in the GPU
// alone. Internally, 32 x 512 GB/s are 3.4 times the bandwidth of the GPU's own memory.
//
// The link is assumed: 448 GB/s, as in a100-aim (16 of PIMFlow's channels of 28 GB/s), which is also about the rate of the GPU's NVLink
// (450 GB/s each way, sheet nvlink4). To try another: --set on_board.bandwidth=900GB/s.
//
// AiM multiplies bf16: programs in f32 and f16 are rounded to bf16 (the pass `reduce-precision`).
//
// Stacks and pins: AnandTech's table of H200, H100 and A100 (2023-11); rates and capacity: sheet h200_sxm.
hw.device @gpu = "h200_sxm"
hw.device @pim = "aim"
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s"}

// An H200 beside eight cubes of Samsung's HBM-PIM.
//
// The PIM is memory beside the GPU's own: the GPU keeps its 141 GB of HBM3e in six stacks (6144 pins), at 4800 GB/s, and eight cubes add
// 16 GiB that compute (128 pseudo-channels; a cube's four dies with units hold 2 GiB, hbm_pim.sheet). The PIM equals that of
// a100-hbm_pim, so that the two machines differ in the GPU and in the energy of the link. Internally, 8 x 1.23 TB/s are 2.0 times the
// bandwidth of the GPU's own memory.
//
// The link is assumed: the GPU's package has no free site for a stack, so that the cubes are on a package of their own, over 448 GB/s as in
// a100-hbm_pim. That is also about the rate of the GPU's NVLink (450 GB/s each way, sheet nvlink4). To try another: --set
// on_board.bandwidth=900GB/s. A bit takes the energy of a stack and an interposer (0.8 pJ, hbm_pim.sheet) and of NVLink (1.3 pJ,
// nvlink4).
//
// Stacks and pins: AnandTech's table of H200, H100 and A100 (2023-11); rates and capacity: sheet h200_sxm.
hw.device @gpu = "h200_sxm"
hw.device @pim = "hbm_pim" {channels = 128}
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s", energy.byte = "2.1 pJ/bit"}

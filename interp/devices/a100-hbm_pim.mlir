// An A100 beside eight cubes of Samsung's HBM-PIM.
//
// Eight cubes have 128 pseudo-channels and 16 GiB that compute (a cube's four dies with units hold 2 GiB), as much as a100-aim: a
// language model of 7 billion weights of two bytes fits, and the two machines differ only in their memories. Internally, the
// cubes read 8 x 1.23 TB/s, six times the bandwidth of the A100's own HBM. A unit has no tree that adds its lanes.
//
// The link is as wide as a100-aim's, 448 GB/s: about one and a half times a cube's 16 x 19.2 GB/s, as if the cubes took the place
// of the A100's sixth stack. The energy per bit is that of a stack and the interposer (hbm_pim.sheet).
hw.device @gpu = "a100"
hw.device @pim = "hbm_pim" {channels = 128}
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s", energy.byte = "0.8 pJ/bit"}

// An A100 beside eight cubes of Samsung's HBM-PIM.
//
// Why eight: that is 128 pseudo-channels and 16 GiB that compute (a cube's four dies with units hold 2 GiB), what a100-aim has: a
// language model of 7 billion weights of two bytes finds room, and the two machines differ in their memories alone. Inside, the
// cubes read 8 x 1.23 TB/s, six times what the A100 reads from its own HBM; and a unit has no tree that adds its lanes.
//
// The link is as wide as a100-aim's, 448 GB/s: about one and a half of a cube's 16 x 19.2 GB/s, as if the cubes stood where the
// A100 has room for a sixth stack. A bit takes what it does through a stack and the interposer (hbm_pim.sheet).
hw.device @gpu = "a100"
hw.device @pim = "hbm_pim" {channels = 128}
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s", energy.byte = "0.8 pJ/bit"}

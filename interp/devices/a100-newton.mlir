// An A100 with 64 channels of Newton-style PIM on its board.
//
// 64 channels hold 16 GiB, since a channel holds 256 MiB (16 banks x 16384 rows x 1 KiB): a language model of 7 billion
// f16 weights, 13.5 GB, fits in the banks. 64 channels also keep PIMFlow's proportion of bandwidths: in PIMFlow, 16
// PIM channels read internally (16 x 224 GB/s) 8 times as fast as the GPU reads its other 16 (16 x 28 GB/s); here, 64 x 224 GB/s
// are 9.2 times the 1555 GB/s of the A100's HBM.
//
// The link is PIMFlow's, as wide as 16 channels (16 x 28 GB/s): no wider connection of the A100 to its PIM is assumed.
hw.device @gpu = "a100"
hw.device @pim = "newton" {channels = 64}
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s"}

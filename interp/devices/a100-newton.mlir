// An A100 with 64 channels of Newton-style PIM on its board.
//
// Why 64 channels: a channel of the sheet holds 256 MiB (16 banks x 16384 rows x 1 KiB), and a language model of 7 billion
// f16 weights needs 13.5 GB where it is computed; 64 channels hold 16 GiB. They also keep PIMFlow's proportion: there, 16
// PIM channels read inside (16 x 224 GB/s) 8 times as fast as the GPU reads its other 16 (16 x 28 GB/s); here, 64 x 224 GB/s
// stand against the 1555 GB/s of the A100's HBM, which is 9.2 times.
//
// The link is PIMFlow's, of 16 channels' width (16 x 28 GB/s): the A100 is given no more wires than that for its PIM.
hw.device @gpu = "a100"
hw.device @pim = "newton" {channels = 64}
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s"}

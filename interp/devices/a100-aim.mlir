// An A100 with the 32 channels of GDDR6-AiM on its board.
//
// 32 channels are the system of the AiM simulator, which the sheet describes. They hold 16 GiB (each 16 banks x 16384
// rows x 2 KiB), enough for a language model of 7 billion weights of two bytes. Their internal bandwidth is 32 x 512 GB/s, ten times
// that of the A100's HBM.
//
// AiM multiplies bf16: programs in f32 are rounded to bf16 (the pass `reduce-precision`). For the time of an f16 program on units for
// f16, use `--set aim.element=f16`.
//
// The link is PIMFlow's, as wide as 16 channels (16 x 28 GB/s): no wider connection of the A100 to its PIM is assumed.
hw.device @gpu = "a100"
hw.device @pim = "aim"
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s"}

// An A100 with the 32 channels of GDDR6-AiM on its board.
//
// Why 32 channels: that is what the sheet describes (the AiM simulator's system), and they hold 16 GiB (each 16 banks x 16384
// rows x 2 KiB): a language model of 7 billion weights of two bytes finds room. Inside, they read 32 x 512 GB/s, ten times what
// the A100 reads from its HBM.
//
// AiM multiplies bf16: programs in f32 are rounded to it (the pass `reduce-precision`); to see what one in f16 would take on units for
// f16, say `--set aim.element=f16`.
//
// The link is PIMFlow's, of 16 channels' width (16 x 28 GB/s): the A100 is given no more wires than that for its PIM.
hw.device @gpu = "a100"
hw.device @pim = "aim"
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s"}

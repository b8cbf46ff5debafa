// An RTX 4090, 12 of whose 24 memory channels are GDDR6-AiM.
//
// A consumer card has no room for more memory, so the PIM takes a share of its channels, as in PIMFlow: 384 pins of memory are 24
// channels of 16 bits, of which 12 are PIM (six chips of GDDR6-AiM in place of six of GDDR6X; the L40S has GDDR6 on the same AD102).
// They hold 12 x 512 MiB, 6 GiB, and read 12 x 512 GB/s internally. The GPU keeps the other 12: half of its memory (12 of 24 GB), of its
// bandwidth (504 of 1008 GB/s) and of its L2 cache. Without PIM, it has all 24: speed-ups are relative to this GPU.
//
// The link is the channels' own pins: 12 x 32 GB/s (aim.sheet), written and read by the GPU's memory controllers.
//
// AiM multiplies bf16: programs in f32 and f16 are rounded to bf16 (the pass `reduce-precision`).
//
// Chips and pins of the RTX 4090: 384 pins, 21 Gb/s, 12 chips (trendblog.net, tweaktown.com); rates and capacity: sheet rtx4090.
hw.device @gpu = "rtx4090" {channels = 24}
hw.device @pim = "aim" {channels = 12}
hw.link @gpu to @pim = "pimflow_channels" {bandwidth = "384 GB/s"}

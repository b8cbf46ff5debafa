// An H100 with a unit of AttAcc: five stacks of HBM3 whose banks compute attention.
//
// The PIM is memory beside the GPU's own: five stacks of 16 channels (sheet attacc: 64 banks x 16384 rows x 1 KiB a channel) are 80 GiB.
// They hold caches of keys and values; weights stay on the GPU. For multipliers at the bank groups or on the
// buffer die, copy this file and write "attacc_bg" or "attacc_buffer" for "attacc".
//
// Stacks, their capacity, one unit per GPU and 300 GB/s between them: scale-snu/attacc_simulator, the model of Park et al., ASPLOS 2024 (commit
// c600051: src/config.py, src/system.py). It counts no latency of this link; latency and energy here are those of the link's sheet.
hw.device @gpu = "h100_sxm"
hw.device @pim = "attacc" {channels = 80}
hw.link @gpu to @pim = "nvlink4" {bandwidth = "300 GB/s"}

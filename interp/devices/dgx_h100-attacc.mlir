// Eight H100s, each with a unit of AttAcc: five stacks of HBM3 whose banks compute attention.
//
// The PIM is memory beside the GPU's own: five stacks of 16 channels (sheet attacc: 64 banks x 16384 rows x 1 KiB a channel) are 80 GiB
// for each GPU. They hold caches of keys and values; weights stay on the GPU. For multipliers at the bank groups or on the
// buffer die, copy this file and write "attacc_bg" or "attacc_buffer" for "attacc".
//
// Stacks, their capacity, one unit per GPU and 300 GB/s between them: scale-snu/attacc_simulator, the model of Park et al., ASPLOS 2024 (commit
// c600051: src/config.py, src/system.py). It counts no latency of this link; latency and energy here are those of the link's sheet.
//
// NVLink switches connect the GPUs; here each pair has a link of its own.
hw.device @gpu0 = "h100_sxm"
hw.device @gpu1 = "h100_sxm"
hw.device @gpu2 = "h100_sxm"
hw.device @gpu3 = "h100_sxm"
hw.device @gpu4 = "h100_sxm"
hw.device @gpu5 = "h100_sxm"
hw.device @gpu6 = "h100_sxm"
hw.device @gpu7 = "h100_sxm"
hw.device @pim0 = "attacc" {channels = 80}
hw.device @pim1 = "attacc" {channels = 80}
hw.device @pim2 = "attacc" {channels = 80}
hw.device @pim3 = "attacc" {channels = 80}
hw.device @pim4 = "attacc" {channels = 80}
hw.device @pim5 = "attacc" {channels = 80}
hw.device @pim6 = "attacc" {channels = 80}
hw.device @pim7 = "attacc" {channels = 80}
hw.link @gpu0 to @pim0 = "nvlink4" {bandwidth = "300 GB/s"}
hw.link @gpu1 to @pim1 = "nvlink4" {bandwidth = "300 GB/s"}
hw.link @gpu2 to @pim2 = "nvlink4" {bandwidth = "300 GB/s"}
hw.link @gpu3 to @pim3 = "nvlink4" {bandwidth = "300 GB/s"}
hw.link @gpu4 to @pim4 = "nvlink4" {bandwidth = "300 GB/s"}
hw.link @gpu5 to @pim5 = "nvlink4" {bandwidth = "300 GB/s"}
hw.link @gpu6 to @pim6 = "nvlink4" {bandwidth = "300 GB/s"}
hw.link @gpu7 to @pim7 = "nvlink4" {bandwidth = "300 GB/s"}
hw.link @gpu0 to @gpu1 = "nvlink4"
hw.link @gpu0 to @gpu2 = "nvlink4"
hw.link @gpu0 to @gpu3 = "nvlink4"
hw.link @gpu0 to @gpu4 = "nvlink4"
hw.link @gpu0 to @gpu5 = "nvlink4"
hw.link @gpu0 to @gpu6 = "nvlink4"
hw.link @gpu0 to @gpu7 = "nvlink4"
hw.link @gpu1 to @gpu2 = "nvlink4"
hw.link @gpu1 to @gpu3 = "nvlink4"
hw.link @gpu1 to @gpu4 = "nvlink4"
hw.link @gpu1 to @gpu5 = "nvlink4"
hw.link @gpu1 to @gpu6 = "nvlink4"
hw.link @gpu1 to @gpu7 = "nvlink4"
hw.link @gpu2 to @gpu3 = "nvlink4"
hw.link @gpu2 to @gpu4 = "nvlink4"
hw.link @gpu2 to @gpu5 = "nvlink4"
hw.link @gpu2 to @gpu6 = "nvlink4"
hw.link @gpu2 to @gpu7 = "nvlink4"
hw.link @gpu3 to @gpu4 = "nvlink4"
hw.link @gpu3 to @gpu5 = "nvlink4"
hw.link @gpu3 to @gpu6 = "nvlink4"
hw.link @gpu3 to @gpu7 = "nvlink4"
hw.link @gpu4 to @gpu5 = "nvlink4"
hw.link @gpu4 to @gpu6 = "nvlink4"
hw.link @gpu4 to @gpu7 = "nvlink4"
hw.link @gpu5 to @gpu6 = "nvlink4"
hw.link @gpu5 to @gpu7 = "nvlink4"
hw.link @gpu6 to @gpu7 = "nvlink4"

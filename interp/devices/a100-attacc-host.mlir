// An A100 with a unit of AttAcc, five stacks of HBM3 whose banks compute attention, and its host's memory over PCIe 4.
//
// As in a100-attacc: five stacks of 16 channels are 80 GiB.
hw.device @gpu = "a100_80_sxm" {bandwidth = "3352 GB/s"}
hw.device @pim = "attacc" {channels = 80}
hw.device @host = "host_managed"
hw.link @gpu to @pim = "nvlink3"
hw.link @gpu to @host = "pcie4_copies"

// An A100 of 40 GiB with a host and an SSD behind it, as in the experiments of G10 (MICRO 2023): PCI Express 3.0 shared by both.
//
// The SSD is joined to the host, so that its traffic passes the GPU's link; it is large enough for any of G10's cases.
hw.device @gpu = "a100" {memory = "40 GiB"}
hw.device @host = "g10_host"
hw.device @ssd = "nvme_ssd"
hw.link @gpu to @host = "g10_pcie"
hw.link @host to @ssd = "pcie3_x4"

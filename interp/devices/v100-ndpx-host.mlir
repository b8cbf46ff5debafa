// A V100 beside a memory expander with near-data units (NDPX), and its host's memory over PCIe 3.
hw.device @gpu = "v100_sxm2"
hw.device @ndp = "ndpx"
hw.device @host = "host_managed"
hw.link @gpu to @ndp = "expander_link"
hw.link @gpu to @host = "pcie3_copies"

// An A100 with 40 GB beside a memory expander with near-data units (NDPX), and its host's memory over PCIe 4.
hw.device @gpu = "a100"
hw.device @ndp = "ndpx"
hw.device @host = "host_managed"
hw.link @gpu to @ndp = "expander_link"
hw.link @gpu to @host = "pcie4_copies"

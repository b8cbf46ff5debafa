// A V100 beside a memory expander with near-data units (NDPX), over a memory-semantic link.
hw.device @gpu = "v100_sxm2"
hw.device @ndp = "ndpx"
hw.link @gpu to @ndp = "expander_link"

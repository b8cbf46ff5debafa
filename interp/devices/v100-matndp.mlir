// A V100 with near-data units beside its own memory controllers (matNDP).
hw.device @gpu = "v100_sxm2"
hw.device @ndp = "matndp"
hw.link @gpu to @ndp = "at_controllers"

// A V100 with SIMD units in its own memory, which it and they use in turns (Choi et al., IEEE Access 2024).
hw.device @gpu = "v100_sxm2"
hw.device @ndp = "ndp_turns"
hw.link @gpu to @ndp = "in_turns"

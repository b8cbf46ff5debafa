// GPUs: the page of a board that derives from another one shows its changes and the source of each number.
// RUN: ndp-opt --show-device h200_sxm | filecheck %s --check-prefix=H200
//      H200: h200_sxm : gpu
//      H200:   NVIDIA H200 SXM5 141 GB
//      H200:   units         132            [1]
//      H200:   memory        141 GB         [2]
//      H200:   energy l2     2.4 pJ/B
//      H200:   idle          128 W
//      H200:   model         kernels
//      H200:   base          not stated
//      H200:   tdp           700 W          [1]
//      H200:   matrix f8     1.979 PFLOP/s  [1]
//      H200:   dispatch stream  5 us
//      H200:   energy f32       0.49067 pJ/flop  = (0.16 * (3.7 + 0.9) / (1.1 + 0.4)) pJ/flop [
//      H200: sources
//      H200:   [1] glennklockwood.com/garden/processors/h100
//      H200:   [2] {{.*}}the H100 with other memory

// The number of units is derived from lanes, since published tables disagree.
// RUN: ndp-opt --show-device l4 | filecheck %s --check-prefix=L4
//      L4:   units         58            = 7424 / 128 [[[SOURCE:[0-9]+]]]
//      L4:   [[[SOURCE]]] 7424 lanes, 128 a multiprocessor: 58; tables that say 60 mean the whole AD104

// The A100 of the shipped machines is one of these boards.
// RUN: ndp-opt --show-device a100 | filecheck %s --check-prefix=A100
//      A100: a100 : gpu
//      A100:   bandwidth     1.555 TB/s    [1]
//      A100:   matrix f16   312 TFLOP/s   [1]

// Errors in a GPU's sheet.
// RUN: not ndp-opt --show-device h200_sxm --set h200_sxm.energy.f33='1 pJ/flop' 2>&1 | filecheck %s --check-prefix=TYPE
//      TYPE: error: `energy` has no name `f33`; did you mean `f32`?

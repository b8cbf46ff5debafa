// Sheets and machines with memory behind a GPU.
// RUN: ndp-opt --show-device v100-uvm | filecheck %s --check-prefix=UVM
//      UVM: hw.device @host = "host_managed"
//      UVM: host_managed : memory
//      UVM:   paging page        4 KiB
//      UVM:   paging demand      yes
//      UVM:   paging block       64 KiB
//      UVM:   paging chunk       2 MiB
//      UVM:   paging prefetcher  tree
//      UVM:   paging density     51
//      UVM:   paging evicts      migrated
//      UVM:   fault latency      45 us
//      UVM:   fault service      5 GB/s
//      UVM: assumed, 3 to 12 GB/s
//      UVM: pcie3_copies : link
//      UVM:   bandwidth    12 GB/s
//      UVM:   ramp         {{.*}} = (1 / 0.07292) KiB

// RUN: ndp-opt --show-device a100-g10 | filecheck %s --check-prefix=G10
//      G10: hw.device @gpu = "a100" {memory = "40 GiB"}
//      G10:   memory        40 GiB
//      G10: nvme_ssd : memory
//      G10:   read               3.2 GB/s
//      G10:   access read        12 us
//      G10: g10_pcie : link
//      G10:   bandwidth    15.754 GB/s

// Pinned and pageable memory.
// RUN: ndp-opt --show-device host_memory | filecheck %s --check-prefix=PINNED
//      PINNED:   read               not stated
//      PINNED:   paging demand      no
// RUN: ndp-opt --show-device host_pageable | filecheck %s --check-prefix=PAGEABLE
//      PAGEABLE:   read               10 GB/s

// "What if the GPU had 16 GB", and the host 64 GB?
// RUN: ndp-opt %s --machine v100-uvm --set gpu.memory=16GB --set host.memory=64GB --set host.fault.service=3GB/s | filecheck %s --check-prefix=SET
//      SET: hw.device @gpu = "v100_sxm2" {memory = "16GB"}
// SET-NEXT: hw.device @host = "host_managed" {memory = "64GB", fault.service = "3GB/s"}

// RUN: not ndp-opt %s --machine v100-uvm --set host.memry=64GB 2>&1 | filecheck %s --check-prefix=FIELD
//      FIELD: --set:1:6: error: there is no field `memry` in {{.*}}; did you mean `memory`?
// RUN: not ndp-opt %s --machine v100-uvm --set host.paging.block=6KiB 2>&1 | filecheck %s --check-prefix=BLOCK
//      BLOCK: error: a block is whole pages of 4096 bytes, but 6144 bytes were met

func.func @f() {
  func.return
}

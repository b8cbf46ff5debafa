// RUN: ndp-opt %s -t placement-graph | filecheck %s
// RUN: ndp-opt %s -t 'placement-graph{policy=priority devices=pim,one}' | filecheck %s --check-prefix=CHOSEN
// RUN: ndp-opt %s -t 'placement-graph{format=dot policy=gpu}' | filecheck %s --check-prefix=DOT
// RUN: not ndp-opt %s -t 'placement-graph{policy=bets}' 2>&1 | filecheck %s --check-prefix=POLICY
// RUN: not ndp-opt %s -t 'placement-graph{policy=priority}' 2>&1 | filecheck %s --check-prefix=PRIORITY
// RUN: not ndp-opt %s -t 'placement-graph{devices=pim}' 2>&1 | filecheck %s --check-prefix=LIST
// RUN: not ndp-opt %s -t 'placement-graph{policy=priority devices=npu}' 2>&1 | filecheck %s --check-prefix=DEVICE
// RUN: not ndp-opt %s -t 'placement-graph{format=png}' 2>&1 | filecheck %s --check-prefix=FORMAT
// RUN: not ndp-opt %s -p place{effort=1} -t placement-graph 2>&1 | filecheck %s --check-prefix=PLACED

// Three devices, of which two share a memory; a copy of 32 bytes to the PIM takes 1 us and 3.2 ns at 10 GB/s.
hw.device @one = "toy_gpu"
hw.device @all = "toy_gpu" {launch = "2 us"}
hw.device @pim = "toy_pim"
hw.link @one to @all = "toy_link" {latency = "0 ns", bandwidth = "1e30 TB/s"}
hw.link @one to @pim = "toy_link"

// In the graph, the matmul has a node on each device; the PIM has none for the relu.

// CHECK:      2 layers of 5 nodes, and 11 edges; start and end are at @one; @one and @all share one memory
// CHECK-EMPTY:
// CHECK-NEXT: #  op      source{{ +}}one{{ +}}all{{ +}}pim
// CHECK-NEXT: 0  matmul  {{.*}}placement_graph.mlir:{{[0-9]+}}:8  1.0032 us  2.0032 us  201 ns
// CHECK-NEXT: 1  relu    {{.*}}placement_graph.mlir:{{[0-9]+}}:8  1.0006 us  2.0006 us       -
// CHECK-EMPTY:
// CHECK-NEXT: value  size  from   to   one|all <-> pim
// CHECK-NEXT: %x     32 B  start  0          1.0032 us
// CHECK-NEXT: %a     32 B  0      1          1.0032 us
// CHECK-NEXT: %b     32 B  1      end        1.0032 us

// CHOSEN:      * marks the device that priority chooses: 3.208 us serial, 3.208 us overlapped
// CHOSEN:      0  matmul {{.*}} 1.0032 us  2.0032 us  * 201 ns
// CHOSEN-NEXT: 1  relu   {{.*}} * 1.0006 us  2.0006 us         -

// DOT:      digraph placements {
// DOT:        start [label="start @one" shape=ellipse]
// DOT-NEXT:   end [label="end @one" shape=ellipse]
// DOT-NEXT:   {
// DOT-NEXT:     graph [rank=same]
// DOT-NEXT:     n0_0 [label="0 matmul\none: 1.0032 us" color="#c00000" fillcolor="#cfe2f3"{{.*}}]
// DOT-NEXT:     n0_1 [label="0 matmul\nall: 2.0032 us" fillcolor="#d9ead3"]
// DOT-NEXT:     n0_2 [label="0 matmul\npim: 201 ns" fillcolor="#fce5cd"]
// DOT-NEXT:   }
// DOT-NEXT:   {
// DOT-NEXT:     graph [rank=same]
// DOT-NEXT:     n1_0 [label="1 relu\none: 1.0006 us" color="#c00000" fillcolor="#cfe2f3"{{.*}}]
// DOT-NEXT:     n1_1 [label="1 relu\nall: 2.0006 us" fillcolor="#d9ead3"]
// DOT-NEXT:   }
// DOT-NEXT:   start -> n0_0 [color="#c00000" fontcolor="#c00000" penwidth=2.5]
// DOT-NEXT:   start -> n0_1{{$}}
// DOT-NEXT:   start -> n0_2 [label="%x 1.0032 us"]
// DOT-NEXT:   n0_0 -> n1_0 [color="#c00000" fontcolor="#c00000" penwidth=2.5]
// DOT-NEXT:   n0_0 -> n1_1{{$}}
// DOT-NEXT:   n0_1 -> n1_0{{$}}
// DOT-NEXT:   n0_1 -> n1_1{{$}}
// DOT-NEXT:   n0_2 -> n1_0 [label="%a 1.0032 us"]
// DOT-NEXT:   n0_2 -> n1_1 [label="%a 1.0032 us"]
// DOT-NEXT:   n1_0 -> end [color="#c00000" fontcolor="#c00000" penwidth=2.5]
// DOT-NEXT:   n1_1 -> end{{$}}
// DOT-NEXT: }

// POLICY: -t:1:17: error: option `policy` of placement-graph must be one of none, gpu, {{.*}}, but is bets
// PRIORITY: error: place: policy priority needs a list of devices: place{policy=priority devices=pim,gpu}
// LIST: placement_graph.mlir: error: placement-graph: option `devices` applies to policy priority only, but policy is none; remove `devices`
// DEVICE: error: there is no device @npu; the machine has @one, @all, @pim
// FORMAT: -t:1:17: error: option `format` of placement-graph must be one of text, dot, svg, but is png
// PLACED: error: @main is placed already; placement-graph needs a function of graph ops before pass place

func.func @main(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %a = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x8xf32>
  %b = graph.relu %a : tensor<1x8xf32>
  func.return %b : tensor<1x8xf32>
}

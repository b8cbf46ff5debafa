// RUN: ndp-opt %s --machine toy --profile %S/Inputs/products.json -p place{policy=greedy} -t timeline 2>&1 | filecheck %s --check-prefix=TIMES
// RUN: ndp-opt %s --machine toy --profile %S/Inputs/products.json -p place{policy=greedy} 2>&1 | filecheck %s --check-prefix=NOTES
// RUN: ndp-opt %s --machine toy --profile %S/Inputs/products.json -p place{policy=greedy},to-pim -t timeline 2>&1 | filecheck %s --check-prefix=TIMES
// RUN: ndp-opt %s --machine toy -p place{policy=greedy} --summary 2>&1 | filecheck %s --check-prefix=SHEETS
// RUN: ndp-opt %s --machine toy --profile %S/Inputs/products.json -p place{policy=greedy},to-pim | filecheck %s --check-prefix=TEXT
// RUN: ndp-opt %s --machine toy --profile %S/Inputs/products.json --set pim.channels=2 -p place{policy=gpu} --summary 2>&1 | filecheck %s --check-prefix=HOME

// By measurement, a product takes 30 us on the PIM and 100 us on the GPU, a copy 0.5 us. So the product goes to the PIM, unlike with the
// sheets' times. A program that is placed by a profile is also timed by it, including bank programs: a launch notes its row of the profile.
// TIMES:         0 ns   500 ns  500 ns  gpu->pim  copy %x {{.*}}  measured
// TIMES-NEXT:  500 ns  30.5 us   30 us  pim       {{.*}}matmul{{.*}}  measured
// TIMES-NEXT: 30.5 us    31 us  500 ns  pim->gpu  copy %a {{.*}}  measured
// TIMES-NEXT:   31 us    38 us    7 us  gpu       relu {{.*}}  measured
// TIMES:      makespan  69 us
// TIMES:      costs     3 of 3 tasks measured (gpu 1, pim 2), 0 by the sheets; 4 of 4 copies measured

// Rows of the profile that are not used are reported.
// NOTES-DAG: products.json: note: 1 row of the profile can't be used, since tpu is not a device of this machine, which has @gpu, @pim
// NOTES-DAG: note: 1 of 4 rows of {{.*}}products.json match no op of this program (pim 1), the first of graph.neg; an op is identified by

// The baseline of the primary device fuses the product and relu, which this list of passes does not.
// SHEETS: speed-up   0.88x over @gpu alone at its best
// SHEETS: pim       0

// TEXT: hw.device @gpu = "toy_gpu" {profile = "{{.*}}products.json"}
// TEXT: hw.link @gpu to @pim = "toy_link" {profile = "{{.*}}products.json"}
// TEXT: pim.launch @matmul_1x256x256_f32 {{.*}} {task.work = "%0 : 1x256xf32, %1 : weight 256x256xf32; %2 = graph.matmul %0, %1 : 1x256xf32; yield %2"}

// HOME: costs      3 of 3 tasks measured (gpu 3), 0 by the sheets
// HOME-NEXT: makespan   207 us
// HOME: speed-up   1.00x over @gpu alone at its best (207 us)

func.func @main(%x: tensor<1x256xf32>) -> tensor<1x256xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<256x256xf32>
  %a = graph.matmul %x, %w : tensor<1x256xf32>, tensor<256x256xf32>
  %b = graph.relu %a : tensor<1x256xf32>
  %c = graph.matmul %b, %w : tensor<1x256xf32>, tensor<256x256xf32>
  func.return %c : tensor<1x256xf32>
}

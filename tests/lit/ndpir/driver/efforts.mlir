// The pipeline for users: it decides devices, order, splits and moves, and lowers what it placed; -O sets the effort.
// RUN: ndp-opt %s --machine toy -p plan -t summary | filecheck %s --check-prefix=TWO
// RUN: ndp-opt %s --machine toy -p plan -O2 -t summary | filecheck %s --check-prefix=TWO
// RUN: ndp-opt %s --machine toy -p plan -O1 -t summary | filecheck %s --check-prefix=ONE
// RUN: ndp-opt %s --machine toy -p offload -O3 -t summary | filecheck %s --check-prefix=THREE
// RUN: ndp-opt %s --machine toy -p 'place{policy=cost}' -O 3 -t summary 2>&1 | filecheck %s --check-prefix=THREE
// TWO: by placement policy "optimal"
// ONE: by placement policy "optimal effort=1"
// THREE: by placement policy "optimal effort=3"

// A level of programs is written for each kind of device that runs tasks; other machines get no note.
// RUN: ndp-opt %s --machine a100-newton -p plan | filecheck %s --check-prefix=BANKS
// RUN: sed 's/graph.relu %y/graph.relu %y {task.on = @ndp}/' %s | ndp-opt --machine toy-ndp -p plan | filecheck %s --check-prefix=UNITS
// RUN: ndp-opt %s --machine a100 -p plan 2>&1 | filecheck %s --check-prefix=ALONE
// BANKS: pim.launch
// UNITS: ndp.launch
// ALONE-NOT: note
// ALONE: task.run @gpu

// Without a search, an effort is an error.
// RUN: not ndp-opt %s -p inline,fuse -O1 2>&1 | filecheck %s --check-prefix=NONE
// NONE: -O sets the effort of searches, but none of the passes has one: inline, fuse; use the pipeline plan, or place{policy=optimal}
// RUN: not ndp-opt %s --machine toy -p 'place{policy=gpu}' -O1 2>&1 | filecheck %s --check-prefix=RULE
// RULE: none of the passes has one: place
// RUN: not ndp-opt %s -O1 2>&1 | filecheck %s --check-prefix=EMPTY
// EMPTY: there are no passes
// RUN: not ndp-opt %s -p plan -O4 2>&1 | filecheck %s --check-prefix=FOUR
// FOUR: error: -O must be one of 1, 2, 3, but is `4`

func.func @main(%x: tensor<1x2048xf16>) -> tensor<1x2048xf16> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<2048x2048xf16>
  %y = graph.matmul %x, %w : tensor<1x2048xf16>, tensor<2048x2048xf16>
  %z = graph.relu %y : tensor<1x2048xf16>
  func.return %z : tensor<1x2048xf16>
}

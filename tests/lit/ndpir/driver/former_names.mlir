// Former names of passes, targets and words of sheets still work, with a note.
// RUN: ndp-opt %s -p 'narrow{to=f16}' 2>&1 | filecheck %s --check-prefix PASS
// PASS: note: the pass `narrow` is called `reduce-precision` now

// RUN: not ndp-opt %s --machine toy -t readings 2>&1 | filecheck %s --check-prefix TARGET
// TARGET: note: the target `readings` is called `timing-variants` now

// RUN: printf 'device mine = toy_pim\n  reading of toy_pim "a book"\n' > %t.sheet
// RUN: ndp-opt --show-device %t.sheet 2>&1 | filecheck %s --check-prefix SHEET
// SHEET: 2:3: note: `reading of toy_pim` is the former spelling; write `variant of toy_pim`
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.relu %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}

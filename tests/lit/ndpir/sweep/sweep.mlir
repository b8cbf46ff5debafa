// RUN: ndp-opt %s -p 'place{policy=pim-first},to-pim' --sweep pim.tCCD=2,4 --sweep machine=a100-newton --jobs 1 2>&1 | filecheck %s --check-prefix=CSV
// RUN: rm -f %t.csv %t.csv.sqlite %t.html %t.svg
// RUN: ndp-sweep %S/Inputs/sweep.toml --sweep machine=a100-newton,nowhere -o %t.csv --jobs 1 2>&1 | filecheck %s --check-prefix=FIRST
// RUN: ndp-sweep %S/Inputs/sweep.toml --sweep machine=a100-newton,nowhere -o %t.csv --jobs 1 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: ndp-sweep show %t.csv --report %t.html --plot %t.svg | filecheck %s --check-prefix=SHOW
// RUN: ndp-sweep show %t.csv.sqlite --pareto speed_up --sensitivity speed_up --json | filecheck %s --check-prefix=JSON
// RUN: filecheck %s --check-prefix=HTML --input-file %t.html
// RUN: not ndp-sweep %S/Inputs/nothing.toml 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not ndp-sweep %s 2>&1 | filecheck %s --check-prefix=NOTHING
// RUN: not ndp-opt %s --sweep pim.tCCD=8..1 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not ndp-opt %s --sweep pim.tCCD=1,2 -t timeline 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not ndp-opt %s --sweep pim.tCDC=1,2 --jobs 1 2>&1 | filecheck %s --check-prefix=FAILED
// RUN: not ndp-sweep show %t.csv --pareto makespan 2>&1 | filecheck %s --check-prefix=FIGURE
// RUN: not ndp-sweep show %s 2>&1 | filecheck %s --check-prefix=OTHER

// The rows come in the order of the design; equal figures to those of single runs are tested in tests/unit/sweep.
// CSV: pim.tCCD,machine,makespan_ns,speed_up,energy_nj,
// CSV: {{^}}2,a100-newton,
// CSV: {{^}}4,a100-newton,
// CSV: ndp-opt: 2 points, 0 failed

// A failed point is a row with its error; run again, nothing is computed.
// FIRST: ndp-sweep: 4 points, 2 failed; results in
// AGAIN: ndp-sweep: 4 points, 2 failed, 4 of them were there already; results in

// SHOW: 4 points, 2 failed
// SHOW: Pareto front: 1 of 2 points that no other beats in makespan_ns and energy_nj
// SHOW-NEXT: pim.tCCD machine makespan_ns energy_nj
// SHOW-NEXT: 1 a100-newton
// SHOW: effect of each axis on makespan_ns, mean over all other axes
// SHOW-NEXT: axis best at mean worst at mean explains elasticity
// SHOW-NEXT: pim.tCCD 1 {{.*}} 2 {{.*}} 100.0 %
// SHOW: failed
// SHOW-NEXT: 2 points with machine=nowhere: there is no machine or device `nowhere`

// JSON: "schema": "ndpir-sweep/1"
// JSON: "axis": "pim.tCCD"
// HTML: <h2>Pareto front</h2>

// NONE: nothing.toml: error: can't be read: no such file or directory
// NOTHING: error: nothing is swept; add an axis, as in --sweep pim.tCCD=1..8
// RANGE: error: pim.tCCD=8..1: the range ends below its start; write the smaller number first
// TARGET: error: unknown flag -t
// FAILED: error: all points failed; the error of the first point: pim.tCDC=1: there is no field `tCDC` in newton; did you mean `tRCD`?
// FIGURE: has no figure `makespan`; did you mean `makespan_ns`?
// OTHER: the file's name must end in .sqlite, .parquet or .csv; give a file that ndp-sweep wrote

func.func @main(%x: tensor<1x1024xf16>) -> tensor<1x1024xf16> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<1024x1024xf16>
  %y = graph.matmul %x, %w : tensor<1x1024xf16>, tensor<1024x1024xf16>
  func.return %y : tensor<1x1024xf16>
}

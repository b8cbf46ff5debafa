"""Sweeps: a program compiled and timed for many machines, sizes and pipelines. Each combination is called a point; its
results equal those of a single run.

    ndp-sweep sweep.toml -o results.parquet
    ndp-opt model.onnx -p offload --sweep pim.tCCD=1..8 --sweep machine=a100-newton,a100-aim
    ndp-sweep show results.parquet

`axes` reads the values of an axis, `request` a whole sweep; `sampling` chooses the points; `evaluation` compiles and
times one point; `processes` and `cluster` distribute points; `journal` stores each result as soon as it is known;
`tables`, `analysis`, `drawing` and `report` show the results.
"""

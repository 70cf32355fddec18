// RUN: not heddle-opt %source/tests/strategies/Inputs/attention-weights.mlir \
// RUN:   --heddle-tile=strategy=attention=attention-online 2>&1 | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/attention-weights.mlir --heddle-tile=%{avx512} \
// RUN:   | FileCheck %s --check-prefix=WEIGHTS
// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir --heddle-tile=%{avx512} \
// RUN:   | FileCheck %s --check-prefix=ONLINE
// RUN: heddle-opt %source/tests/strategies/Inputs/attention-rows.mlir --heddle-tile=%{avx512} \
// RUN:   | FileCheck %s --check-prefix=ROWS

// For these inputs, heddle-tile selects the strategy attention-stored if the probabilities are a result, attention-rows
// if there are few queries, and otherwise attention-online. An explicit choice of attention-online for attention whose
// probabilities are a result is an error.

// CHECK: error: strategy attention-online: does not support attention whose probabilities are a result
// WEIGHTS: name = "attention-stored"
// ONLINE: name = "attention-online"
// ROWS: name = "attention-rows"

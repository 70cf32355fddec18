// RUN: not heddle-opt %source/tests/strategies/Inputs/attention-weights.mlir \
// RUN:   --heddle-tile=strategy=attention=attention-online-256 2>&1 | FileCheck %s
// RUN: heddle-opt %source/tests/strategies/Inputs/attention-weights.mlir --heddle-tile=features=avx512f \
// RUN:   | FileCheck %s --check-prefix=WEIGHTS
// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir --heddle-tile=features=avx512f \
// RUN:   | FileCheck %s --check-prefix=AVX512
// RUN: heddle-opt %source/tests/strategies/Inputs/attention.mlir --heddle-tile | FileCheck %s --check-prefix=PLAIN
// RUN: heddle-opt %source/tests/strategies/Inputs/attention-rows.mlir --heddle-tile=features=avx512f \
// RUN:   | FileCheck %s --check-prefix=ROWS

// CHECK: error: strategy attention-online-256: stores no softmax weights, which are a result here
// WEIGHTS: name = "attention-stored"
// AVX512: name = "attention-online"
// PLAIN: name = "attention-online-256"
// ROWS: name = "attention-rows"

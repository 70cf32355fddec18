// The pass heddle-lower-precision refuses invalid options.
// RUN: not heddle-opt %s --heddle-lower-precision="precision=int9" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: precision: 'int9' is not a precision; the precisions are f32, bf16, int8, int8-block, bf16-weights and f16-weights
// RUN: not heddle-opt %s --heddle-lower-precision="precision=int8 left=w=f8" 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: precision: 'f8' is not a precision
// RUN: not heddle-opt %s --heddle-lower-precision="precision=bf16-weights" 2>&1 | FileCheck %s --check-prefix=STORAGE
// STORAGE: error: precision: 'bf16-weights' does not round computations; this pass supports only precisions that do
module {}

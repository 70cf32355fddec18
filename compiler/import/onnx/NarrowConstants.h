//===- NarrowConstants.h - removes repetition from constants ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H
#define HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::onnx {

/// Replaces constants that repeat along their first dimensions by a broadcast of the part that repeats. An example is a
/// mask that the graph expands to all sequences of a batch: it becomes a single mask, which can be recognised as
/// causal.
void narrowConstants(mlir::func::FuncOp func);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H

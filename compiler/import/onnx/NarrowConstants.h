//===- NarrowConstants.h - removes repetition from constants ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H
#define HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::onnx {

/// Replaces each constant of `func` that consists of equal slices along its first dimensions by a broadcast of one
/// slice. For example, a mask that the graph expands to all sequences of a batch becomes a single mask, which can be
/// recognised as causal. Splats, and constants of more than `foldLimit` elements, do not change.
void narrowConstants(mlir::func::FuncOp func);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H

//===- NarrowConstants.h - removes repetition from constants ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H
#define HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::onnx {

/// Replaces constants that repeat along their first dimensions, such as masks that a graph expands to each sequence, by
/// a broadcast of the part that repeats. The result is a single mask, which may be causal, for a batch of any size.
void narrowConstants(mlir::func::FuncOp func);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H

//===- NarrowConstants.h - constants without repetition ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H
#define HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::onnx {

/// Constants that repeat along their first dimensions, as masks that a graph expands to every sentence, become a
/// broadcast of what they repeat: one mask, which may be causal, for a batch of any size.
void narrowConstants(mlir::func::FuncOp func);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_NARROWCONSTANTS_H

//===- Onnx.h - imports .onnx files -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_ONNX_H
#define HEDDLE_IMPORT_ONNX_ONNX_H

#include "sizes/ImportTask.h"

namespace heddle {

mlir::FailureOr<Model> importOnnx(mlir::MLIRContext &context, llvm::StringRef path, const ImportTask &options);

/// The names that an ONNX file gives to the length of its growing pasts and to the number of new positions; `count` is
/// this number if it is fixed. "" if there is no growing past, or if no input has the new positions.
struct GrowingSizes {
  std::string past, rows;
  int64_t count = -1;
};

/// Finds these names in a file. Emits errors.
mlir::FailureOr<GrowingSizes> findGrowingPast(mlir::MLIRContext &context, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_IMPORT_ONNX_ONNX_H

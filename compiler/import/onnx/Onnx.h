//===- Onnx.h - imports .onnx files -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_ONNX_H
#define HEDDLE_IMPORT_ONNX_ONNX_H

#include "heddle/Import.h"

namespace heddle {

mlir::FailureOr<Model> importOnnx(mlir::MLIRContext &context, llvm::StringRef path,
                                  const ImportOptions &options);

/// What an ONNX file calls the number of positions of its pasts, behind which nodes append new ones, and that of the
/// new ones, or their number; "" where it has none that grow, and where no input has the new ones.
struct GrowingSizes {
  std::string past, rows;
  int64_t count = -1;
};

/// Those of a file. Errors go to the context's diagnostics.
mlir::FailureOr<GrowingSizes> findGrowingPast(mlir::MLIRContext &context, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_IMPORT_ONNX_ONNX_H

//===- Onnx.h - imports .onnx files -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_ONNX_H
#define HEDDLE_IMPORT_ONNX_ONNX_H

#include "heddle/Import.h"

namespace heddle {

mlir::FailureOr<Model> importOnnx(mlir::MLIRContext &context, llvm::StringRef path,
                                  const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_ONNX_ONNX_H

//===- Onnx.h - imports .onnx files -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_ONNX_H
#define HEDDLE_IMPORT_ONNX_ONNX_H

#include "sizes/ImportTask.h"

namespace heddle {

/// Imports the .onnx file `path`. Emits an error if the file is invalid or contains unsupported operators.
mlir::FailureOr<Model> importOnnx(mlir::MLIRContext &context, llvm::StringRef path, const ImportTask &options);

/// The names of two dimensions in an ONNX file with a past that grows from call to call (GrowingPast.h): the length of
/// the past (`past`) and the number of positions that a call appends (`rows`). `past` is "" if there is no growing
/// past; `rows` is "" if no input has this dimension or its size is fixed. `count` is the fixed number of new
/// positions, or -1.
struct GrowingSizes {
  std::string past, rows;
  int64_t count = -1;
};

/// Finds the sizes of the growing past of a file. Emits an error if the file cannot be read, or if the past is not
/// supported.
mlir::FailureOr<GrowingSizes> findGrowingPast(mlir::MLIRContext &context, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_IMPORT_ONNX_ONNX_H

//===- Json.h - parsing JSON ------------------------------------*- C++ -*-===//

#ifndef HEDDLE_JSON_H
#define HEDDLE_JSON_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"

namespace heddle {

/// Parses an object in `text`, which is not trusted: the depth of nesting is limited, and a name that occurs twice in
/// one object is an error. Errors are emitted at `loc`.
mlir::FailureOr<llvm::json::Object> parseJsonObject(mlir::Location loc, llvm::StringRef text);

/// Parses a file that contains an object; errors name the file.
mlir::FailureOr<llvm::json::Object> readJsonObject(mlir::MLIRContext &context, llvm::StringRef path);

/// Parses a file that contains an array.
mlir::FailureOr<llvm::json::Array> readJsonArray(mlir::MLIRContext &context, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_JSON_H

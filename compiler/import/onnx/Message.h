//===- Message.h - protobuf messages from files -----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_MESSAGE_H
#define HEDDLE_IMPORT_ONNX_MESSAGE_H

#include "mlir/IR/Location.h"

#include <google/protobuf/message_lite.h>

namespace heddle::onnx {

/// Parses the file `path` into `message`. Emits an error if the file cannot be read or is larger than 2 GiB. If its
/// content is invalid, emits the error that the file is not `what`, such as "an ONNX model".
mlir::LogicalResult parseMessage(mlir::Location loc, llvm::StringRef path, llvm::StringRef what,
                                 google::protobuf::MessageLite &message);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_MESSAGE_H

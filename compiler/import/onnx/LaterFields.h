//===- LaterFields.h - fields of ONNX's messages that came later -*- C++ -*-===//
//
// A distribution's onnx.proto may be older than a file. protobuf keeps fields that it does not know, by number.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_LATERFIELDS_H
#define HEDDLE_IMPORT_ONNX_LATERFIELDS_H

#include "TensorReader.h"

#include <list>

namespace heddle::onnx {

/// The overload of the function that a node calls (IR version 10); "" where the node names none.
std::string overloadOf(const ::onnx::NodeProto &node);
/// The overload that a function is; "" for most functions.
std::string overloadOf(const ::onnx::FunctionProto &function);

/// The attributes of a function that have defaults (IR version 9), or none where such a field cannot be parsed.
std::optional<std::list<::onnx::AttributeProto>> defaultsOf(const ::onnx::FunctionProto &function);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_LATERFIELDS_H

//===- LaterFields.h - fields that onnx.proto may lack ----------*- C++ -*-===//
//
// An ONNX file may be newer than the onnx.proto with which Heddle is built. Fields that this onnx.proto does not define
// are read by their numbers from the unknown fields, which protobuf preserves.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_ONNX_LATERFIELDS_H
#define HEDDLE_IMPORT_ONNX_LATERFIELDS_H

#include "TensorReader.h"

#include <list>

namespace heddle::onnx {

/// Returns the overload of the function that a node calls (IR version 10); "" if the node specifies none.
std::string overloadOf(const ::onnx::NodeProto &node);
/// Returns the overload of a function, which is "" for most functions.
std::string overloadOf(const ::onnx::FunctionProto &function);

/// Returns the attributes of a function that have defaults (IR version 9), or nullopt if one cannot be parsed.
std::optional<std::list<::onnx::AttributeProto>> defaultsOf(const ::onnx::FunctionProto &function);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_LATERFIELDS_H

//===- LaterFields.cpp - fields that onnx.proto may lack ------------------===//

#include "LaterFields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

using namespace google::protobuf;

/// The numbers of the fields that older versions of onnx.proto lack: NodeProto.overload, FunctionProto.attribute_proto
/// and FunctionProto.overload.
static constexpr int nodeOverload = 8, functionDefaults = 11, functionOverload = 13;

/// Calls `use` with the bytes of each unknown field `number` of the message.
template <typename Use> static void forEachUnknown(const Message &message, int number, Use use) {
  const UnknownFieldSet &fields = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i)
    if (const UnknownField &field = fields.field(i);
        field.number() == number && field.type() == UnknownField::TYPE_LENGTH_DELIMITED)
      use(field.length_delimited());
}

/// Returns the string in field `number` of the message; "" if the message does not contain the field.
static std::string stringOf(const Message &message, int number) {
  if (const FieldDescriptor *field = message.GetDescriptor()->FindFieldByNumber(number))
    return message.GetReflection()->GetString(message, field);
  std::string last; // if a field occurs several times, the last occurrence counts, as in protobuf
  forEachUnknown(message, number, [&](const std::string &value) { last = value; });
  return last;
}

std::string heddle::onnx::overloadOf(const ::onnx::NodeProto &node) { return stringOf(node, nodeOverload); }

std::string heddle::onnx::overloadOf(const ::onnx::FunctionProto &function) {
  return stringOf(function, functionOverload);
}

std::optional<std::list<::onnx::AttributeProto>> heddle::onnx::defaultsOf(const ::onnx::FunctionProto &function) {
  std::list<::onnx::AttributeProto> attributes;
  const Reflection &reflection = *function.GetReflection();
  if (const FieldDescriptor *field = function.GetDescriptor()->FindFieldByNumber(functionDefaults)) {
    for (int i = 0; i < reflection.FieldSize(function, field); ++i)
      attributes.emplace_back().CopyFrom(reflection.GetRepeatedMessage(function, field, i));
    return attributes;
  }
  bool parsed = true;
  forEachUnknown(function, functionDefaults,
                 [&](const std::string &bytes) { parsed &= attributes.emplace_back().ParseFromString(bytes); });
  return parsed ? std::optional(std::move(attributes)) : std::nullopt;
}

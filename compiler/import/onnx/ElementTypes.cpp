//===- ElementTypes.cpp - ONNX's element types and tensor sizes -----------===//

#include "Graph.h"
#include "TensorReader.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using ::onnx::TensorProto;

/// ONNX numbers its element types. These are numbers that the oldest supported ONNX headers do not define: `firstLater`
/// is the first of them, and `halfUnsigned` and `halfSigned` are UINT4 and INT4. `laterNames` begins at `firstLater`.
static constexpr int64_t firstLater = 17, halfUnsigned = 21, halfSigned = 22;
static constexpr const char *laterNames[] = {"FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",
                                             "INT4",         "FLOAT4E2M1",     "FLOAT8E8M0", "UINT2",          "INT2"};

std::string heddle::onnx::elementTypeName(int32_t dataType) {
  if (TensorProto::DataType_IsValid(dataType))
    return TensorProto::DataType_Name(static_cast<TensorProto::DataType>(dataType));
  if (dataType >= firstLater && dataType - firstLater < static_cast<int64_t>(std::size(laterNames)))
    return laterNames[dataType - firstLater];
  return "number " + std::to_string(dataType);
}

Type heddle::onnx::elementType(MLIRContext *context, int32_t dataType) {
  Builder b(context);
  switch (dataType) {
  case TensorProto::FLOAT:
    return b.getF32Type();
  case TensorProto::DOUBLE:
    return b.getF64Type();
  case TensorProto::FLOAT16:
    return b.getF16Type();
  case TensorProto::BFLOAT16:
    return b.getBF16Type();
  case TensorProto::INT64:
    return b.getI64Type();
  case TensorProto::INT32:
    return b.getI32Type();
  case TensorProto::BOOL:
    return b.getI1Type();
  default:
    return {};
  }
}

IntegerType heddle::onnx::smallIntegerType(MLIRContext *context, int64_t dataType) {
  switch (dataType) {
  case TensorProto::INT8:
    return IntegerType::get(context, 8, IntegerType::Signed);
  case TensorProto::UINT8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case halfSigned:
    return IntegerType::get(context, 4, IntegerType::Signed);
  case halfUnsigned:
    return IntegerType::get(context, 4, IntegerType::Unsigned);
  default:
    return {};
  }
}

std::optional<int64_t> heddle::onnx::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  if (shape.size() > maxRank)
    return std::nullopt;
  for (int64_t extent : shape)
    if (extent < 0 || llvm::MulOverflow(count, std::max<int64_t>(extent, 1), count) || count > maxElements)
      return std::nullopt;
  return llvm::is_contained(shape, 0) ? 0 : count;
}

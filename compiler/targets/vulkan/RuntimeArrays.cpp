//===- RuntimeArrays.cpp - buffers of run-time length ---------------------===//
//
// The type of a buffer has a fixed number of elements. If sizes lie in ranges,
// this number may be a multiple of a placeholder, that is, of the number that
// represents a size in types and has no meaning at run time. No kernel uses the
// number of elements, since accesses are relative to the start of the buffer.
// So this pass removes the number from the type.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Sizes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_RUNTIMEARRAYS
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Converts a pointer to a buffer of fixed length to a pointer to a runtime array. Returns other types unchanged.
static Type withoutLength(Type type) {
  auto pointer = dyn_cast<spirv::PointerType>(type);
  auto buffer = pointer ? dyn_cast<spirv::StructType>(pointer.getPointeeType()) : spirv::StructType();
  if (!buffer || pointer.getStorageClass() != spirv::StorageClass::StorageBuffer || buffer.getNumElements() != 1)
    return type;
  auto array = dyn_cast<spirv::ArrayType>(buffer.getElementType(0));
  if (!array)
    return type;
  auto any = spirv::RuntimeArrayType::get(array.getElementType(), array.getArrayStride());
  auto inside = spirv::StructType::get(Type(any), spirv::StructType::OffsetInfo(buffer.getMemberOffset(0)));
  return spirv::PointerType::get(inside, pointer.getStorageClass());
}

namespace {
struct RuntimeArrays : heddle::impl::RuntimeArraysBase<RuntimeArrays> {
  void runOnOperation() override {
    if (Sizes(getOperation()).empty())
      return;
    getOperation()->walk([](Operation *op) {
      if (auto variable = dyn_cast<spirv::GlobalVariableOp>(op))
        variable.setType(withoutLength(variable.getType()));
      if (auto address = dyn_cast<spirv::AddressOfOp>(op))
        address.getPointer().setType(cast<spirv::PointerType>(withoutLength(address.getPointer().getType())));
    });
  }
};
} // namespace

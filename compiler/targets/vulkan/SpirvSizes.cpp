//===- SpirvSizes.cpp - sizes in SPIR-V kernels ---------------------------===//

#include "VulkanTarget.h"

#include "heddle/ArenaLayout.h"

#include "Sizes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Emits computations of sizes in SPIR-V kernels as 32-bit integers, the type of all indices in kernels.
class SpirvSizes : public SizeArithmetic {
public:
  SpirvSizes(FunctionOpInterface func, const Sizes &sizes) : SizeArithmetic(func, sizes) {
    // If sizes lie in ranges, the first buffer of a kernel is the call header, which contains the sizes. Upstream MLIR
    // calls the variable of the first buffer KERNEL_arg_0.
    auto module = func->getParentOfType<spirv::ModuleOp>();
    callHeader = module.lookupSymbol<spirv::GlobalVariableOp>((func.getName() + "_arg_0").str());
  }

  Value load(StringRef name) override {
    if (!callHeader)
      return {};
    Value address = spirv::AddressOfOp::create(b, loc, callHeader);
    SmallVector<Value> place = {constant(0), constant(arenaSizeOffset(*sizes.find(name)) / 4)};
    return spirv::LoadOp::create(b, loc, spirv::AccessChainOp::create(b, loc, address, place));
  }
  Value constant(int64_t value) override {
    return spirv::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
  }
  Value add(Value x, Value y) override { return spirv::IAddOp::create(b, loc, x, y); }
  Value multiply(Value x, Value y) override { return spirv::IMulOp::create(b, loc, x, y); }
  Value convert(Value value, Type type) override {
    return type == value.getType() ? value : Value(spirv::SConvertOp::create(b, loc, type, value));
  }
  Value repeat(Value element, VectorType type) override {
    return spirv::CompositeConstructOp::create(b, loc, type, SmallVector<Value>(type.getNumElements(), element));
  }

private:
  spirv::GlobalVariableOp callHeader; // null if the kernel has no buffer
};
} // namespace

std::unique_ptr<SizeArithmetic> VulkanTarget::makeSizeArithmetic(FunctionOpInterface func, const Sizes &sizes) const {
  return std::make_unique<SpirvSizes>(func, sizes);
}

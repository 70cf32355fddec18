//===- SpirvEmittedSizes.cpp - sizes in a kernel of SPIR-V ----------------===//

#include "EmittedSizes.h"

#include "heddle/ArenaLayout.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Sizes have 32 bits, as all indices.
class SpirvEmittedSizes : public EmittedSizes {
public:
  SpirvEmittedSizes(FunctionOpInterface func, const Sizes &sizes) : EmittedSizes(func, sizes) {
    // What upstream calls a kernel's first buffer.
    auto module = func->getParentOfType<spirv::ModuleOp>();
    frame = module.lookupSymbol<spirv::GlobalVariableOp>((func.getName() + "_arg_0").str());
  }

private:
  Value load(StringRef name) override {
    if (!frame)
      return {};
    Value address = spirv::AddressOfOp::create(b, loc, frame);
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

  spirv::GlobalVariableOp frame;
};
} // namespace

std::unique_ptr<EmittedSizes> heddle::makeSpirvEmittedSizes(FunctionOpInterface func, const Sizes &sizes) {
  return std::make_unique<SpirvEmittedSizes>(func, sizes);
}

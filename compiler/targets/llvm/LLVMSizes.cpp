//===- LLVMSizes.cpp - sizes in LLVM dialect functions --------------------===//

#include "LLVMSizes.h"

#include "heddle/ArenaLayout.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Emits computations of sizes as 64-bit integers of the LLVM dialect.
class LLVMSizes : public SizeArithmetic {
public:
  LLVMSizes(FunctionOpInterface func, const Sizes &sizes) : SizeArithmetic(func, sizes) {
    for (BlockArgument arg : func.getArguments())
      if (func.getArgAttr(arg.getArgNumber(), notes::arena.name))
        arena = arg;
  }

  Value load(StringRef name) override {
    if (!arena)
      return {};
    auto offset = int32_t(arenaSizeOffset(*sizes.find(name)));
    Value place = LLVM::GEPOp::create(b, loc, arena.getType(), b.getI8Type(), arena, ArrayRef<LLVM::GEPArg>{offset});
    auto load = LLVM::LoadOp::create(b, loc, b.getI64Type(), place, /*alignment=*/8);
    load.setInvariant(true);
    return load;
  }
  Value constant(int64_t value) override { return LLVM::ConstantOp::create(b, loc, b.getI64Type(), value); }
  Value add(Value x, Value y) override { return LLVM::AddOp::create(b, loc, x, y); }
  Value multiply(Value x, Value y) override { return LLVM::MulOp::create(b, loc, x, y); }
  Value convert(Value value, Type type) override {
    return type.isInteger(64) ? value : Value(LLVM::TruncOp::create(b, loc, type, value));
  }
  Value repeat(Value element, VectorType type) override {
    Value zero = constant(0);
    Value poison = LLVM::PoisonOp::create(b, loc, type);
    Value first = LLVM::InsertElementOp::create(b, loc, poison, element, zero);
    return LLVM::ShuffleVectorOp::create(b, loc, first, poison, SmallVector<int32_t>(type.getNumElements(), 0));
  }

private:
  Value arena; // the function's argument that points to the arena, or null
};
} // namespace

std::unique_ptr<SizeArithmetic> heddle::makeLLVMSizes(FunctionOpInterface func, const Sizes &sizes) {
  return std::make_unique<LLVMSizes>(func, sizes);
}

//===- DecorateSpirv.cpp - what a driver must not assume ------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include <set>

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_DECORATESPIRV
#include "heddle/Passes.h.inc"
} // namespace heddle

/// What is not finite stays so, zeros keep their signs and denormal numbers their values, in arithmetic of each type that
/// there is.
static void keepSpecialValues(spirv::ModuleOp module) {
  std::set<unsigned> widths;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto number = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
        widths.insert(number.getWidth());
  });
  for (auto entry : llvm::to_vector(module.getOps<spirv::EntryPointOp>())) {
    auto b = OpBuilder::atBlockEnd(module.getBody());
    for (unsigned width : widths)
      for (spirv::ExecutionMode mode :
           {spirv::ExecutionMode::SignedZeroInfNanPreserve, spirv::ExecutionMode::DenormPreserve})
        spirv::ExecutionModeOp::create(b, entry.getLoc(), module.lookupSymbol<spirv::FuncOp>(entry.getFn()), mode,
                                       {int32_t(width)});
  }
}

namespace {
struct DecorateSpirv : heddle::impl::DecorateSpirvBase<DecorateSpirv> {
  void runOnOperation() override {
    keepSpecialValues(cast<spirv::ModuleOp>(getOperation()));
    auto unit = UnitAttr::get(&getContext());
    getOperation()->walk([&](Operation *op) {
      // Buffers of a launch may be parts of one memory, and the same part.
      if (auto variable = dyn_cast<spirv::GlobalVariableOp>(op))
        if (cast<spirv::PointerType>(variable.getType()).getStorageClass() == spirv::StorageClass::StorageBuffer)
          op->setAttr("aliased", unit);
      // Threads of a workgroup wait for what the others wrote to buffers, too, not to workgroup memory alone.
      if (auto barrier = dyn_cast<spirv::ControlBarrierOp>(op))
        barrier.setMemorySemantics(barrier.getMemorySemantics() | spirv::MemorySemantics::UniformMemory);
      // Else drivers take (x + c) - c for x, by which exp rounds, and join products and sums as they like.
      if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp, spirv::FRemOp, spirv::FNegateOp>(op))
        op->setAttr("no_contraction", unit);
    });
  }
};
} // namespace

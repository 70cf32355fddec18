//===- DecorateSpirv.cpp - restricts what drivers may do ------------------===//
//
// This pass adds decorations and execution modes to a SPIR-V module. They
// forbid drivers to change results of arithmetic or the order of memory
// accesses.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include <set>

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_DECORATESPIRV
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Requires arithmetic of each float type to keep infinities, NaN, signs of zeros and denormal numbers.
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
      // Mark buffers as aliased, since two buffers of a launch may be overlapping ranges of one device allocation.
      if (auto variable = dyn_cast<spirv::GlobalVariableOp>(op))
        if (cast<spirv::PointerType>(variable.getType()).getStorageClass() == spirv::StorageClass::StorageBuffer)
          op->setAttr("aliased", unit);
      // A barrier must order not only accesses of workgroup memory, but also accesses of buffers in device memory.
      if (auto barrier = dyn_cast<spirv::ControlBarrierOp>(op))
        barrier.setMemorySemantics(barrier.getMemorySemantics() | spirv::MemorySemantics::UniformMemory);
      // Forbid contraction. Otherwise drivers may fuse products and sums, and may simplify (x + c) - c to x, although
      // exp uses this expression to round x.
      if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp, spirv::FRemOp, spirv::FNegateOp>(op))
        op->setAttr("no_contraction", unit);
    });
  }
};
} // namespace

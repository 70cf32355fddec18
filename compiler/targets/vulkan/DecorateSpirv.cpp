//===- DecorateSpirv.cpp - what a driver must not assume ------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_DECORATESPIRV
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
struct DecorateSpirv : heddle::impl::DecorateSpirvBase<DecorateSpirv> {
  void runOnOperation() override {
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

//===- SetSpirvTarget.cpp - prepares conversion to SPIR-V -----------------===//
//
// This pass sets the SPIR-V version and the workgroup size, and rewrites code
// that upstream MLIR's conversion to SPIR-V does not support.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_SETSPIRVTARGET
#include "heddle/Passes.h.inc"
} // namespace heddle

// The SPIR-V capabilities that kernels may use. The upstream pass spirv-update-vce later reduces this list to the
// capabilities that a module uses.
static constexpr spirv::Capability capabilities[] = {
    spirv::Capability::Shader,
    spirv::Capability::Float64,
    spirv::Capability::Int64,
    spirv::Capability::Int8,
    spirv::Capability::StorageBuffer8BitAccess,
    spirv::Capability::SignedZeroInfNanPreserve,
    spirv::Capability::DenormPreserve,
    spirv::Capability::GroupNonUniform,
    spirv::Capability::GroupNonUniformArithmetic,
};
static constexpr spirv::Extension extensions[] = {
    spirv::Extension::SPV_KHR_storage_buffer_storage_class,
    spirv::Extension::SPV_KHR_8bit_storage,
    spirv::Extension::SPV_KHR_float_controls,
};

/// Adds selects so that the results of a loop without iterations are its initial values. The conversion of upstream
/// MLIR would leave these results undefined. Loops with a constant upper bound need no selects, because in kernels they
/// have at least one iteration.
static void keepStart(scf::ForOp loop) {
  if (loop.getNumResults() == 0 || getConstantIntValue(loop.getUpperBound()))
    return;
  OpBuilder b(loop->getContext());
  b.setInsertionPointAfter(loop);
  Location loc = loop.getLoc();
  Value runs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, loop.getLowerBound(), loop.getUpperBound());
  for (auto [result, start] : llvm::zip(loop.getResults(), loop.getInitArgs())) {
    auto kept = arith::SelectOp::create(b, loc, runs, result, start);
    result.replaceAllUsesExcept(kept, kept);
  }
}

namespace {
struct SetSpirvTarget : heddle::impl::SetSpirvTargetBase<SetSpirvTarget> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    auto triple = spirv::VerCapExtAttr::get(spirv::Version::V_1_3, capabilities, extensions, context);
    getOperation()->setAttr(spirv::getTargetEnvAttrName(),
                            spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context)));
    // Upstream MLIR cannot convert a cast of a boolean to index, so replace such a cast by a select.
    getOperation().walk([&](arith::IndexCastUIOp cast) {
      if (!cast.getIn().getType().isInteger(1))
        return;
      OpBuilder b(cast);
      auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, cast.getLoc(), value); };
      cast.replaceAllUsesWith(Value(arith::SelectOp::create(b, cast.getLoc(), cast.getIn(), number(1), number(0))));
      cast.erase();
    });
    getOperation().walk(keepStart);
    // Set the storage class of each buffer here, because upstream MLIR maps memory spaces to storage classes only if
    // the memory spaces are numbers.
    auto place = [&](auto alloc, spirv::StorageClass storage) {
      MemRefType type = alloc.getType();
      alloc.getResult().setType(MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
                                                spirv::StorageClassAttr::get(context, storage)));
    };
    getOperation().walk([&](memref::AllocOp alloc) {
      if (alloc->getParentOfType<gpu::GPUFuncOp>())
        place(alloc, spirv::StorageClass::Workgroup);
    });
    getOperation().walk([&](memref::AllocaOp alloc) { place(alloc, spirv::StorageClass::Function); });
    getOperation().walk([&](gpu::GPUFuncOp function) {
      function->setAttr(spirv::getEntryPointABIAttrName(),
                        spirv::getEntryPointABIAttr(context, *function.getKnownBlockSize()));
    });
  }
};
} // namespace

//===- PtxCode.cpp - PTX of a module's kernels ----------------------------===//

#include "CudaTarget.h"
#include "PtxCodegen.h"

#include "Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;
using namespace heddle;

namespace {
/// One text for all kernels, whose first lines say what it needs.
class PtxCode : public DeviceCode {
public:
  PtxCode(ModuleOp module, gpu::GPUModuleOp kernels) : module(module), kernels(kernels) {}

  StringRef getFormat() override { return "ptx"; }
  FailureOr<uint64_t> findFeatures() override { return 0; }
  uint64_t countWorkgroupMemory(StringRef kernel) override;
  LogicalResult addTo(DeviceProgram &program) override;

private:
  ModuleOp module;
  gpu::GPUModuleOp kernels;
};
} // namespace

uint64_t PtxCode::countWorkgroupMemory(StringRef kernel) {
  uint64_t bytes = 0;
  module.walk([&](gpu::LaunchFuncOp launch) {
    Value size = launch.getDynamicSharedMemorySize();
    if (launch.getKernelName() == kernel && size)
      bytes = uint64_t(*getConstantIntValue(size));
  });
  return bytes;
}

LogicalResult PtxCode::addTo(DeviceProgram &program) {
  // Which argument is the arena has served; to the translation it would be unknown.
  for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>())
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      kernel.removeArgAttr(i, notes::arena.name);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(kernels, context, kernels.getName());
  if (!translated)
    return kernels.emitError("cannot be translated to LLVM IR");
  FailureOr<std::vector<char>> text = emitPtx(kernels.getLoc(), *translated);
  if (failed(text))
    return failure();
  program.module = *text;
  program.code = std::move(*text);
  return success();
}

FailureOr<std::unique_ptr<DeviceCode>> CudaTarget::findCode(ModuleOp module) const {
  auto kernels = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (kernels.size() != 1)
    return module.emitError("expected one gpu.module");
  return std::unique_ptr<DeviceCode>(std::make_unique<PtxCode>(module, kernels.front()));
}

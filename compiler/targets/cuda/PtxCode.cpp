//===- PtxCode.cpp - the PTX code of a module's kernels -------------------===//

#include "CudaTarget.h"
#include "PtxCodegen.h"

#include "heddle/LaunchComments.h"

#include "targets/llvm/MakeLLVMIR.h"
#include "targets/gpu/KernelOrigin.h"

#include "Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The PTX code of all kernels of a module. All kernels are in one PTX text, because the first lines of a text declare
/// the PTX version and the target for all kernels that follow.
class PtxCode : public DeviceCode {
public:
  PtxCode(ModuleOp module, gpu::GPUModuleOp kernels) : module(module), kernels(kernels) {}

  StringRef getFormat() override { return "ptx"; }
  FailureOr<uint64_t> findFeatures() override { return 0; }
  uint64_t countWorkgroupMemory(StringRef kernel) override;
  LogicalResult addTo(DeviceProgram &program) override;

private:
  llvm::StringMap<std::string> describeKernels();

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

/// Returns a map from the name of each kernel to a comment for the PTX text. The comment names the operation of the
/// model that the kernel computes.
llvm::StringMap<std::string> PtxCode::describeKernels() {
  llvm::StringMap<std::string> notes;
  for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>()) {
    KernelOrigin origin = KernelOrigin::read(kernel.getLoc());
    auto names = llvm::to_vector_of<StringRef>(origin.names);
    notes[kernel.getName()] = writeLaunchComment(kernel.getName(), origin.operation, names);
  }
  return notes;
}

/// Inserts the comment of each kernel before the line where the kernel begins.
static std::vector<char> insertNotes(StringRef text, const llvm::StringMap<std::string> &notes) {
  std::vector<char> result;
  while (!text.empty()) {
    StringRef line = text.take_front(text.find('\n') + 1), name = line;
    line = line.empty() ? text : line;
    text = text.drop_front(line.size());
    if (name.consume_front(".visible .entry "))
      llvm::append_range(result, notes.lookup(name.take_until([](char c) { return c == '('; })));
    llvm::append_range(result, line);
  }
  return result;
}

LogicalResult PtxCode::addTo(DeviceProgram &program) {
  Location loc = kernels.getLoc();
  llvm::StringMap<std::string> notes = describeKernels();
  // Remove the annotation of the argument that is the arena, because the translation to LLVM IR does not support it.
  for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>())
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      kernel.removeArgAttr(i, notes::arena.name);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = makeLLVMIR(kernels, context, kernels.getName());
  if (!translated)
    return failure();
  FailureOr<std::vector<char>> text = emitPtx(loc, *translated);
  if (failed(text))
    return failure();
  program.module = insertNotes({text->data(), text->size()}, notes);
  program.code = program.module;
  return success();
}

FailureOr<std::unique_ptr<DeviceCode>> CudaTarget::findCode(ModuleOp module) const {
  auto kernels = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (kernels.size() != 1)
    return module.emitError("expected one gpu.module, found ") << kernels.size();
  return std::unique_ptr<DeviceCode>(std::make_unique<PtxCode>(module, kernels.front()));
}

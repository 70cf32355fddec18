//===- MakeLLVMIR.cpp - LLVM dialect to LLVM IR ---------------------------===//

#include "MakeLLVMIR.h"

#include "mlir/Target/LLVMIR/Export.h"

using namespace mlir;

std::unique_ptr<llvm::Module> heddle::makeLLVMIR(Operation *module, llvm::LLVMContext &context, StringRef name) {
  Location loc = module->getLoc(), unknown = UnknownLoc::get(module->getContext());
  module->walk([&](Operation *op) { op->setLoc(unknown); });
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context, name);
  if (!translated)
    emitError(loc) << "translation to LLVM IR failed";
  return translated;
}

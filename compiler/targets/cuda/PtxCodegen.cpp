//===- PtxCodegen.cpp - LLVM IR to PTX ------------------------------------===//

#include "PtxCodegen.h"

#include "targets/llvm/Optimize.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>

using namespace llvm;

// Declare these functions here, because llvm/Support/TargetSelect.h declares them only for targets that are enabled in
// this build of LLVM.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

/// Returns LLVM's code generator for PTX, or sets `error` and returns null.
static std::unique_ptr<TargetMachine> createMachine(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  Triple triple("nvptx64-nvidia-cuda");
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  // LLVM may fuse products and sums, as for CPUs. All other operations round as in IEEE 754, and denormal numbers are
  // not replaced by 0.
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Fast;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(triple, heddle::ptxProcessor, heddle::ptxFeatures,
                                                                    options, Reloc::PIC_, CodeModel::Small,
                                                                    CodeGenOptLevel::Aggressive));
}

/// Returns the number of floats that values of a type consist of.
static unsigned countFloats(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return type->isFPOrFPVectorTy() ? vector ? vector->getNumElements() : 1 : 0;
}

/// Prevents the driver's compiler from unrolling loops that carry many floats, such as the sums of a register tile, and
/// innermost loops that load many floats in a step and are in another loop, whose values take registers, too. The
/// compiler would move the loads of an unrolled loop to its start, and would need more registers for their results than
/// a thread has.
static void keepLoops(Module &module) {
  constexpr unsigned maxCarried = 16, maxLoaded = 32; // loops with at least these numbers of floats are not unrolled
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (Loop *loop : loops.getLoopsInPreorder()) {
      unsigned carried = 0, loaded = 0;
      for (PHINode &phi : loop->getHeader()->phis())
        carried += countFloats(phi.getType());
      if (loop->isInnermost() && loop->getParentLoop())
        for (BasicBlock *block : loop->blocks())
          for (Instruction &instruction : *block)
            loaded += isa<LoadInst>(instruction) ? countFloats(instruction.getType()) : 0;
      if (carried >= maxCarried || loaded >= maxLoaded)
        loop->setLoopAlreadyUnrolled();
    }
  }
}

mlir::FailureOr<std::vector<char>> heddle::emitPtx(mlir::Location loc, Module &module) {
  std::string error;
  std::unique_ptr<TargetMachine> machine = createMachine(error);
  if (!machine)
    return mlir::emitError(loc) << "LLVM cannot generate PTX: " << error;
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  // Do not unroll loops here, because strategies have already unrolled the loops that unrolling makes faster. If LLVM
  // unrolled the loop of attention over all keys and moved its loads to the start, the code would need more registers
  // than a thread has.
  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  for (Function &function : module) // a few compares are faster than an indirect branch, which all lanes wait for
    function.addFnAttr("no-jump-tables", "true");
  optimize(module, *machine, /*callable=*/{}, tuning);
  keepLoops(module);
  SmallVector<char, 0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile, /*DisableVerify=*/true))
    return mlir::emitError(loc) << "LLVM cannot write PTX";
  passes.run(module);
  return std::vector<char>(text.begin(), text.end());
}

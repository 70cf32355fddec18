//===- ElfMachine.cpp - differences between ELF machines ------------------===//

#include "compile/ElfMachine.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/ExecutionEngine/JITLink/aarch64.h"
#include "llvm/ExecutionEngine/JITLink/x86_64.h"

using namespace llvm::ELF;
using namespace llvm::jitlink;

// The values are in the order of the members of ElfMachine. AArch64 has no calls that JITLink relaxes.
const heddle::ElfMachine &heddle::elfMachineOf(const LinkGraph &graph) {
  static const ElfMachine x86 = {EM_X86_64,
                                 4096,
                                 x86_64::Pointer64,
                                 R_X86_64_RELATIVE,
                                 R_X86_64_64,
                                 {x86_64::Pointer32, x86_64::Pointer32Signed, x86_64::Pointer16, x86_64::Pointer8},
                                 x86_64::PCRel32GOTLoadRelaxable,
                                 x86_64::PCRel32};
  static const ElfMachine arm = {
      EM_AARCH64,         65536,           aarch64::Pointer64,
      R_AARCH64_RELATIVE, R_AARCH64_ABS64, {aarch64::Pointer32, aarch64::Pointer64Authenticated, aarch64::MoveWide16}};
  return graph.getTargetTriple().isAArch64() ? arm : x86;
}

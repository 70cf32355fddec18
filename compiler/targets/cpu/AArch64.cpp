//===- AArch64.cpp - CPUs of 64-bit Arm -----------------------------------===//

#include "CpuArchitecture.h"

#include "llvm/Support/TargetSelect.h"

using namespace llvm;
using namespace heddle;

namespace {
/// A feature with LLVM's name, and the bit of the auxiliary vector that reports it.
struct HwcapFeature {
  StringLiteral name;
  uint64_t entry;
  unsigned bit;
};
} // namespace

// The keys of the auxiliary vector and the bits are from Linux, Documentation/arch/arm64/elf_hwcaps.rst and
// include/uapi/asm/hwcap.h.
static constexpr uint64_t hwcap = 16, hwcap2 = 26;
static constexpr HwcapFeature hwcapFeatures[] = {
    {"lse", hwcap, 8}, {"fullfp16", hwcap, 10}, {"dotprod", hwcap, 20}, {"i8mm", hwcap2, 13}, {"bf16", hwcap2, 14},
};

/// Emits checks of features by getauxval of libc, because a program cannot always read the registers that report
/// features.
static void emitHwcapCheck(EntryBuilder &b, ArrayRef<std::string> names) {
  Module &module = *b.function->getParent();
  FunctionCallee getauxval = module.getOrInsertFunction("getauxval", b.i64, b.i64);
  for (uint64_t entry : {hwcap, hwcap2}) {
    uint64_t mask = 0;
    for (const HwcapFeature &feature : hwcapFeatures)
      if (feature.entry == entry && is_contained(names, feature.name))
        mask |= uint64_t(1) << feature.bit;
    if (!mask)
      continue;
    Value *bits = b.CreateAnd(b.CreateCall(getauxval, {b.word(entry)}), b.word(mask));
    b.returnIf(b.CreateICmpNE(bits, b.word(mask)), HEDDLE_UNSUPPORTED_CPU);
  }
}

static VectorRegisters getArmVectors(ArrayRef<std::string>) { return {32, 128}; }

/// Returns whether products with an unsigned left side cost at most as much as with a signed one. This is true if the
/// CPU has usdot (i8mm), and also if it has neither usdot nor sdot (dotprod), since both products then cost the same.
static bool hasArmUnsignedDots(ArrayRef<std::string> features) {
  return is_contained(features, "i8mm") || !is_contained(features, "dotprod");
}

static int64_t getArmDotBits(ArrayRef<std::string>) { return 8; }

static void initializeArm() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
}

CpuArchitecture heddle::getAArch64() {
  return {Triple::aarch64,
          "generic",
          "+neon",
          "native",
          "neoverse-n1, neoverse-v2, cortex-a76, apple-m1",
          to_vector(map_range(hwcapFeatures, [](const HwcapFeature &feature) -> StringRef { return feature.name; })),
          "",
          getArmVectors,
          hasArmUnsignedDots,
          getArmDotBits,
          "bf16",
          initializeArm,
          emitHwcapCheck};
}

//===- AArch64.cpp - CPUs of 64-bit Arm -----------------------------------===//

#include "CpuArchitecture.h"

#include "llvm/Support/TargetSelect.h"

using namespace llvm;
using namespace heddle;

namespace {
/// A feature of the CPU and the bit of Linux's auxiliary vector that reports the feature.
struct HwcapFeature {
  StringLiteral name; // LLVM's name
  uint64_t entry;     // the key of the entry of the auxiliary vector
  unsigned bit;       // the index of the bit in this entry
};
} // namespace

// The keys of the auxiliary vector and the bits are from Linux, Documentation/arch/arm64/elf_hwcaps.rst and
// include/uapi/asm/hwcap.h.
static constexpr uint64_t hwcap = 16, hwcap2 = 26;
static constexpr HwcapFeature hwcapFeatures[] = {
    {"lse", hwcap, 8}, {"fullfp16", hwcap, 10}, {"dotprod", hwcap, 20}, {"i8mm", hwcap2, 13}, {"bf16", hwcap2, 14},
};

/// Emits code that returns HEDDLE_UNSUPPORTED_CPU if one of the features `names` is missing. The code calls getauxval
/// of libc, because a program cannot always read the CPU's registers that report features.
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

/// Returns the vector registers of NEON: 32 of 128 bits. SVE is not used.
static VectorRegisters getArmVectors(ArrayRef<std::string>) { return {32, 128}; }

/// Returns whether dot products of bytes with an unsigned left operand cost at most as much as with a signed left
/// operand. This is true if the CPU has the instruction usdot (feature i8mm). It is also true if the CPU has neither
/// usdot nor sdot (feature dotprod), because both products then cost the same.
static bool hasArmUnsignedDots(ArrayRef<std::string> features) {
  return is_contained(features, "i8mm") || !is_contained(features, "dotprod");
}

/// Returns the width in bits of the integers in which the rounded rows of a layer's input are stored for dot products
/// with int8 weights.
static int64_t getArmDotBits(ArrayRef<std::string>) { return 8; }

static bool isInNativeArm(StringRef) { return true; }

static void initializeArm() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
}

CpuArchitecture heddle::getAArch64() {
  // The strings are the members baseline, baselineFeatures, defaults, examples, halfFeature and bf16Dots.
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
          isInNativeArm,
          emitHwcapCheck};
}

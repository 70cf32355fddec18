//===- X86.cpp - CPUs of x86-64 -------------------------------------------===//

#include "CpuArchitecture.h"
#include "X86Features.h"

#include "heddle/device.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;
using namespace heddle;

// The number of Linux's system call arch_prctl, its operation ARCH_REQ_XCOMP_PERM, and the number of the component of
// the registers' state that consists of tile registers.
static constexpr uint64_t archPrctl = 158, requestPermission = 0x1023, tileData = 18;

/// Emits the instruction CPUID and returns the value of one of its result registers: eax (0), ebx (1), ecx (2) or edx
/// (3).
static Value *emitCpuid(EntryBuilder &b, uint32_t leaf, uint32_t subleaf, unsigned reg) {
  auto *type = FunctionType::get(StructType::get(b.i32, b.i32, b.i32, b.i32), {b.i32, b.i32}, false);
  // CPUID overwrites rbx, which may contain the base address of position-independent code. LLVM saves rbx if necessary,
  // because rbx is an output of the inline assembly.
  auto *code = InlineAsm::get(type, "cpuid", "={ax},={bx},={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}",
                              /*hasSideEffects=*/true);
  return b.CreateExtractValue(b.CreateCall(type, code, {b.getInt32(leaf), b.getInt32(subleaf)}), reg);
}

/// Emits code that reads the register XCR0. Each bit of XCR0 represents a set of registers that the operating system
/// saves when it switches threads.
static Value *emitXgetbv(EntryBuilder &b) {
  auto *type = FunctionType::get(StructType::get(b.i32, b.i32), {b.i32}, false);
  auto *code =
      InlineAsm::get(type, "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}", /*hasSideEffects=*/true);
  return b.CreateExtractValue(b.CreateCall(type, code, {b.getInt32(0)}), 0);
}

/// Emits the system call with which a program asks Linux for permission to use tile registers, and returns its result,
/// which is 0 if the permission is granted. The permission holds for all threads of the program; a program that has it
/// may ask again. Linux refuses it, for example, if the stack of a signal handler has no space for the registers.
static Value *emitTilePermission(EntryBuilder &b) {
  auto *type = FunctionType::get(b.i64, {b.i64, b.i64, b.i64}, false);
  auto *code = InlineAsm::get(type, "syscall", "={ax},{ax},{di},{si},~{rcx},~{r11},~{memory},~{dirflag},~{fpsr},~{flags}",
                              /*hasSideEffects=*/true);
  return b.CreateCall(code, {b.word(archPrctl), b.word(requestPermission), b.word(tileData)});
}

static void emitCheck(EntryBuilder &b, ArrayRef<std::string> features) {
  uint64_t state = 0;
  std::vector<CpuidMask> masks = getCpuidMasks(features, state);
  uint32_t checkedLeaf[2] = {0, 0}; // the highest basic and extended leaf whose existence is already checked
  for (const CpuidMask &mask : masks) {
    // For a leaf that the CPU does not have, CPUID may return the values of another leaf. So first check that the leaf
    // exists: leaf 0 returns the number of the highest basic leaf, and leaf 0x80000000 that of the highest extended
    // leaf.
    uint32_t base = mask.leaf & 0x80000000;
    uint32_t &known = checkedLeaf[base != 0];
    if (known < mask.leaf) {
      b.returnIf(b.CreateICmpULT(emitCpuid(b, base, 0, 0), b.getInt32(mask.leaf)), HEDDLE_UNSUPPORTED_CPU);
      known = mask.leaf;
    }
    Value *bits = b.CreateAnd(emitCpuid(b, mask.leaf, mask.subleaf, mask.reg), b.getInt32(mask.mask));
    b.returnIf(b.CreateICmpNE(bits, b.getInt32(mask.mask)), HEDDLE_UNSUPPORTED_CPU);
  }
  if (state) {
    Value *saved = b.CreateAnd(emitXgetbv(b), b.getInt32(uint32_t(state)));
    b.returnIf(b.CreateICmpNE(saved, b.getInt32(uint32_t(state))), HEDDLE_UNSUPPORTED_CPU);
  }
  if (is_contained(features, "amx-tile"))
    b.returnIf(b.CreateICmpNE(emitTilePermission(b), b.word(0)), HEDDLE_UNSUPPORTED_CPU);
}

/// Returns whether programs on this machine may use a feature that LLVM finds. Linux may refuse the use of AMX.
static bool isInNative(StringRef feature) {
  if (!feature.starts_with("amx-"))
    return true;
  heddle_device_info cpu;
  heddle_cpu_info(&cpu);
  return is_contained(split(cpu.features, ' '), feature);
}

static VectorRegisters getVectors(ArrayRef<std::string> features) {
  if (is_contained(features, "avx512f"))
    return {32, 512};
  return {16, is_contained(features, "avx") ? 256 : 128};
}

/// Returns true, because vpdpbusd of VNNI multiplies unsigned bytes by signed bytes.
static bool hasUnsignedDots(ArrayRef<std::string>) { return true; }

/// Returns the target fact dot_bits: 8 if the CPU has VNNI or AMX, else 16. Without them, only vpmaddubsw multiplies
/// bytes, and its sums of 16 bits saturate. They hold the products of bytes and of small codes of 4 bits. For weights
/// of bytes, rounded rows are stored as 16-bit integers, which vpmaddwd multiplies.
static int64_t getDotBits(ArrayRef<std::string> features) {
  auto has = [&](StringRef feature) { return is_contained(features, feature); };
  return has("avx512vnni") || has("avxvnni") || has("amx-int8") ? 8 : 16;
}

static void initialize() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
}

CpuArchitecture heddle::getX86() {
  return {Triple::x86_64, "x86-64", "+sse2", "x86-64-v4,x86-64-v3", "x86-64-v3, x86-64-v4, znver4, sapphirerapids",
          to_vector(map_range(getX86Features(), [](const CpuidFeature &feature) -> StringRef { return feature.name; })),
          "f16c", getVectors, hasUnsignedDots, getDotBits, "avx512bf16", initialize, isInNative, emitCheck};
}

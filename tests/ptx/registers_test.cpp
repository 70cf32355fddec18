// In the interpreter of PTX, an instruction must write only the registers of its results, even if the sizes of its
// operands do not fit its type. The test tries all combinations of mnemonics, modifiers and types; the decoder may
// reject a combination.

#include "Kernels.h"

#include <gtest/gtest.h>

#include <set>

using namespace heddle::ptx;

namespace {

constexpr const char *mnemonics[] = {
#define HEDDLE_PTX(mnemonic, decode) mnemonic,
#include "ptx/Instructions.def"
#undef HEDDLE_PTX
};
constexpr const char *modifiers[] = {"", ".lo", ".hi", ".wide", ".rn", ".approx", ".lt", ".u32", ".f32"};
constexpr const char *types[] = {"pred", "b8",  "u8",  "b16", "u16", "s16", "f16",  "bf16",  "b32",
                                 "u32",  "s32", "f32", "b64", "s64", "f64", "u16x2", "f16x2", "bf16x2"};

/// The name of a register, and an instruction that uses the register without changing it.
struct Named {
  const char *name, *same;
};
constexpr Named predicate = {"%p5", "mov.pred %p5, %p5;"}, byte = {"%b", "cvt.u8.u8 %b, %b;"},
                half = {"%h20", "mov.b16 %h20, %h20;"}, word = {"%r20", "mov.b32 %r20, %r20;"},
                pair = {"%rd20", "mov.b64 %rd20, %rd20;"};

/// Returns a register of `bytes` bytes, or a predicate if `bytes` is 0.
const Named &registerOf(unsigned bytes) {
  return bytes == 0 ? predicate : bytes == 1 ? byte : bytes == 2 ? half : bytes == 4 ? word : pair;
}

/// The contents of the guard registers, which no instruction may change.
constexpr uint32_t guard = 0x5a5a5a5a;

/// Executes an instruction, and returns whether this succeeds. Checks that the instruction does not change the
/// registers that follow its result in the register file.
bool run(const std::string &instruction, const Named &result, const Named &source) {
  // Registers are allocated in the order of their first use, so four guard registers of 128 bytes follow the result.
  std::string body = ".reg .b8 %b; mov.b32 %r50, " + std::to_string(guard) + "; " + result.same +
                     "mov.b32 %r51, %r50; mov.b32 %r52, %r50; mov.b32 %r53, %r50; mov.b32 %r54, %r50;" + source.same +
                     instruction + "; mul.wide.u32 %rd1, %r0, 16; add.u64 %rd1, %rd1, %rd0; "
                                   "st.global.v4.b32 [%rd1], {%r51, %r52, %r53, %r54};";
  Buffer out(warpSize * size_t(16));
  if (!execute(kernel(1, body), {&out}).empty())
    return false;
  EXPECT_EQ(out.values<uint32_t>(), std::vector<uint32_t>(4 * warpSize, guard)) << instruction;
  return true;
}

} // namespace

TEST(PtxRegisters, OnlyResultsAreWritten) {
  // The number of different instructions that the decoder accepts.
  size_t taken = 0;
  std::set<std::string> tried; // The loops below build some instructions several times.
  for (const char *mnemonic : mnemonics)
    for (const char *modifier : modifiers)
      for (const char *name : types) {
        const std::string opcode = mnemonic + std::string(modifier) + "." + name + " ";
        unsigned bytes = parseType(name)->bytes;
        for (unsigned resultBytes : {bytes, 2 * bytes, 4u, 0u})
          for (const Named *last : {&registerOf(bytes), &word})
            for (unsigned count = 1; count <= 4; ++count) {
              std::string instruction = opcode + registerOf(resultBytes).name;
              for (unsigned i = 1; i <= count; ++i)
                instruction += std::string(", ") + (i == count ? last->name : registerOf(bytes).name);
              taken += tried.insert(instruction).second && run(instruction, registerOf(resultBytes), registerOf(bytes));
            }
      }
  EXPECT_GT(taken, 300u);
}

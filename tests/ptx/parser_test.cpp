// The parser and the decoder of the interpreter of PTX accept valid texts, and reject invalid texts with an error that
// contains the number of the line.

#include "Kernels.h"

#include <gtest/gtest.h>

#include <random>

using namespace heddle::ptx;

namespace {

/// Returns the error of the parser, or "" if it accepts the text.
std::string errorOf(const std::string &text) {
  auto module = parse(text);
  return module ? "" : toString(module.takeError());
}

/// Returns the error for a kernel with this body, which the parser accepts and the decoder rejects.
std::string decodeErrorOf(const std::string &body) { return execute(kernel(1, body), {nullptr}); }

} // namespace

TEST(PtxParser, DirectivesAndDeclarations) {
  auto module = parse(".version 8.3\n.target sm_90a, debug\n.address_size 64\n// a comment\n/* and\none */\n"
                      ".file 1 \"a/b.mlir\"\n.extern .shared .align 16 .b8 memory[];\n"
                      ".global .align 4 .b32 table[3] = {1, -2, 0f3F800000};\n"
                      ".visible .entry one(.param .u64 .ptr .global .align 16 a,\n .param .u64 b)\n"
                      ".maxntid 64, 2, 1\n.minnctapersm 1\n{\n.reg .pred %p<2>;\n.reg .b32 %r<3>, %x;\n"
                      ".shared .align 8 .b8 own[64];\n.loc 1 2 3\nLABEL:\n@!%p1 bra LABEL;\nret;\n}\n"
                      ".entry two() .reqntid 32 { ret; }\n.section .debug_str { .b8 0 }\n");
  ASSERT_TRUE(bool(module)) << toString(module.takeError());
  EXPECT_EQ((*module)->version, 83u);
  EXPECT_EQ((*module)->target, 90u);
  ASSERT_EQ((*module)->kernels.size(), 2u);
  const Kernel &one = *(*module)->find("one");
  EXPECT_EQ(one.parameters.size(), 2u);
  EXPECT_EQ(one.threads, (std::array<unsigned, 3>{64, 2, 1}));
  EXPECT_EQ(one.statements.size(), 2u);
  EXPECT_EQ(one.statements[0].line, 20u);
  EXPECT_TRUE(one.statements[0].negated);
  EXPECT_TRUE((*module)->find("two")->exactThreads);
  ASSERT_EQ((*module)->variables.size(), 2u);
  EXPECT_TRUE((*module)->variables[0].isDynamic);
  EXPECT_EQ((*module)->variables[1].initial.size(), 12u);
}

TEST(PtxParser, InvalidTextsAreRejected) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  struct {
    std::string text, error;
  } cases[] = {
      {"", "line 1: expected .version at the beginning of the PTX"},
      {".version x", "line 1: expected a version, found 'x'"},
      {".version 8.0 .target gfx90", "line 1: expected a target such as sm_80, found 'gfx90'"},
      {".version 8.0 .target sm_80 .address_size 32",
       "line 1: expected .address_size 64, because only addresses of 64 bits are supported"},
      {head + ".func f() {}", "line 4: functions (.func) are not supported, only kernels (.entry)"},
      {head + ".entry k(.param .f32 a) {}",
       "line 4: expected a type of 64 bits for a parameter, because only pointers are supported, found '.f32'"},
      {head + ".entry k()\n{\n ret", "line 6: unexpected end of the text, expected an operand"},
      {head + ".entry k() {", "line 4: unexpected end of the text in kernel k"},
      {head + ".entry k() { .reg .b32 %r<9999999>; }",
       "line 4: the number of registers is 9999999, but must be at most 262144"},
      {head + ".entry k() { a: a: }", "line 4: label a is declared twice"},
      {head + ".entry k() { mov.u32 %r1, {%r1, {%r2}}; }", "line 4: expected a number, found '{'"},
      {head + ".entry k() { ret; } .entry k() { ret; }", "line 4: kernel k is declared twice"},
      {head + ".entry k() { add.s32 %r1, #; }", "line 4: expected a number, found '#'"},
      {head + ".shared .b8 x[];",
       "line 4: a variable without a size must be in shared memory and declared with .extern"},
      {head + ".global .b8 x[2] = {1, 2, 3};", "line 4: variable x has more initial values than elements"},
  };
  for (const auto &[text, error] : cases)
    EXPECT_EQ(errorOf(text), error) << text;
}

TEST(PtxDecoder, InvalidInstructionsAreRejected) {
  struct {
    std::string body, error;
  } cases[] = {
      {"\nwgmma.fence.sync.aligned;", "k, line 2: unknown instruction: wgmma.fence.sync.aligned"},
      {"add.rz.f32 %f1, %f2, %f3;", "k, line 1: add.rz.f32 %f1, %f2, %f3: '.rz' is not supported for add"},
      {"add.pred %p1, %p2, %p3;", "k, line 1: add.pred %p1, %p2, %p3: expected a numeric type"},
      {"mul.wide.u8 %h1, 2, 3;",
       "k, line 1: mul.wide.u8 %h1, 2, 3: the factors of a wide product must have 16 or 32 bits"},
      {"mul.wide.u64 %rd1, %rd2, 3;",
       "k, line 1: mul.wide.u64 %rd1, %rd2, 3: the factors of a wide product must have 16 or 32 bits"},
      {"neg.ftz.f16 %h1, %h2;", "k, line 1: neg.ftz.f16 %h1, %h2: '.ftz' is not supported for types of 16 bits"},
      {"bfe.u16x2 %r1, %r2, 1, 2;", "k, line 1: bfe.u16x2 %r1, %r2, 1, 2: these types are not supported for bfe"},
      {"add.s32 %r1, %r2;", "k, line 1: add.s32 %r1, %r2: found 2 operands, expected 3"},
      {"add.s32 %r1, %r2, %rd1;", "k, line 1: add.s32 %r1, %r2, %rd1: %rd1 has 64 bits, expected 32 bits"},
      {"add.s32 %r1, %r2, %r64;", "k, line 1: add.s32 %r1, %r2, %r64: there is no register %r64"},
      {"mov.u32 %tid.x, 1;", "k, line 1: mov.u32 %tid.x, 1: %tid.x cannot be written"},
      {"mov.u32 %r1, %clock;", "k, line 1: mov.u32 %r1, %clock: there is no register %clock"},
      {"bra NOWHERE;", "k, line 1: bra NOWHERE: there is no label NOWHERE"},
      {"mov.b64 %rd1, nothing;", "k, line 1: mov.b64 %rd1, nothing: there is no variable called nothing"},
      {"ld.global.v4.b32 {%r1, %r2}, [%rd0];",
       "k, line 1: ld.global.v4.b32 {%r1, %r2}, [%rd0]: the number of elements is 2, expected 4"},
      {"ld.global.b32 %r1, [%r2];", "k, line 1: ld.global.b32 %r1, [%r2]: expected an address of 64 bits, found %r2"},
      {"ld.local.b32 %r1, [%h1];",
       "k, line 1: ld.local.b32 %r1, [%h1]: expected an address of 32 or 64 bits, found %h1"},
      {"bar.sync 16;", "k, line 1: bar.sync 16: operand 1 is 16, but must lie between 0 and 15"},
      {"cvt.s32.f32 %r1, %f1;", "k, line 1: cvt.s32.f32 %r1, %f1: expected .rni, .rzi, .rmi or .rpi"},
      {"@%r1 ret;", "k, line 1: there is no predicate %r1"},
      {"cp.async.cg.shared.global [%rd1], [%rd0], 8;",
       "k, line 1: cp.async.cg.shared.global [%rd1], [%rd0], 8: the size of the copy is 8 bytes, expected 16"},
      {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r1, %r2};",
       "k, line 1: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, "
       "{%r1, %r2}: only products of two f16 or two bf16 matrices with sums in f32 are supported"},
  };
  for (const auto &[body, error] : cases)
    EXPECT_EQ(decodeErrorOf(body), error) << body;
}

// Texts are cut off or changed at random. Each must be parsed or rejected without a crash. Parsed texts are also
// decoded and executed, for at most 2000 instructions of each warp.
TEST(PtxParser, DamagedTextsDoNoHarm) {
  std::mt19937 random(1);
  size_t refused = 0, tried = 0;
  for (const char *file : {"staged_product.ptx", "softmax.ptx"}) {
    const std::string whole = readInput(file);
    auto tryText = [&](const std::string &text) {
      ++tried;
      auto module = parse(text);
      if (!module) {
        ++refused;
        EXPECT_EQ(toString(module.takeError()).substr(0, 5), "line ");
        return;
      }
      for (const Kernel &kernel : (*module)->kernels) {
        auto program = decode(**module, kernel);
        if (!program) {
          ++refused;
          EXPECT_NE(toString(program.takeError()), "");
          continue;
        }
        Buffer buffer(std::vector<float>(4096, 1));
        std::vector<View> views(kernel.parameters.size(), buffer.view());
        std::unique_ptr<Memory> constants = makeConstants(*program);
        Launch launch{*program, {64, 1, 1}, {1, 1, 1}, views, 16384, constants.get(), nullptr, 2000};
        Clock clock;
        consumeError(execute(launch, clock));
      }
    };
    for (size_t length = 0; length < whole.size(); length += 7)
      tryText(whole.substr(0, length));
    for (int i = 0; i < 3000; ++i) {
      std::string text = whole;
      for (unsigned changes = 1 + random() % 3; changes; --changes) {
        size_t at = random() % text.size(), from = random() % text.size(), length = random() % 12;
        switch (random() % 4) {
        case 0:
          text[at] = char(random());
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, text.substr(from, length));
          break;
        case 3:
          text.replace(at, length, text.substr(from, length));
          break;
        }
      }
      tryText(text);
    }
  }
  EXPECT_GT(refused, tried / 4);
  EXPECT_LT(refused, tried);
}

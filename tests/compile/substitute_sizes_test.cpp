//===- substitute_sizes_test.cpp - numbers in code that depend on sizes ---===//
//
// Sizes in ranges are represented by placeholders, and a model is compiled with two to four sets of placeholders.
// substituteSizes compares the modules for two or three of these sets. It replaces each number that is a multiple of a
// product of sizes, or such a multiple plus a constant, by code that computes the number from the sizes in the arena.
//
//===----------------------------------------------------------------------===//

#include "compile/SubstituteSizes.h"

#include "heddle/Registry.h"
#include "heddle/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace {

struct SubstituteSizes : testing::Test {
  SubstituteSizes() {
    DialectRegistry registry;
    heddle::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<LLVM::LLVMDialect, gpu::GPUDialect, spirv::SPIRVDialect>();
  }

  /// Makes a module whose sizes m and s have the placeholders 5 and 11 (`choice` 0), 7 and 13 (1), or 17 and 23 (2).
  /// Its function contains the constant `a` and an address with index `b`. `arena` is the text of the attributes of the
  /// function's second argument; the annotation heddle.arena tells substituteSizes that this argument is the arena.
  OwningOpRef<ModuleOp> make(int choice, llvm::StringRef a, llvm::StringRef b,
                             llvm::StringRef arena = "{heddle.arena}") {
    static const char *const m[] = {"5", "7", "17"}, *const s[] = {"11", "13", "23"};
    std::string text = R"(module attributes {heddle.sizes = [{name = "m", low = 1, high = 8, placeholder = )" +
                       std::string(m[choice]) + R"(}, {name = "s", low = 1, high = 9, placeholder = )" +
                       std::string(s[choice]) + R"(}]} {
      llvm.func @k0(%x: !llvm.ptr, %arena: !llvm.ptr )" +
                       arena.str() + R"() -> i64 {
        %a = llvm.mlir.constant()" +
                       a.str() + R"( : i64) : i64
        %p = llvm.getelementptr %x[)" +
                       b.str() + R"(] : (!llvm.ptr) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        llvm.return %a : i64
      }
    })";
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }

  /// Makes a kernel for Vulkan with the constants `stride` and `count`. The placeholders of m and s are 5 and 11, or 7
  /// and 13 if `other`. The kernel's first buffer is a variable named `frame`. It begins with the call header, which
  /// contains the sizes of the call.
  OwningOpRef<ModuleOp> makeKernel(bool other, llvm::StringRef stride, llvm::StringRef count,
                                   llvm::StringRef frame = "k0_arg_0") {
    std::string text = R"(module attributes {heddle.sizes = [{name = "m", low = 1, high = 8, placeholder = )" +
                       std::string(other ? "7" : "5") + R"(}, {name = "s", low = 1, high = 9, placeholder = )" +
                       std::string(other ? "13" : "11") + R"(}]} {
      spirv.module Logical GLSL450 {
        spirv.GlobalVariable @)" + frame.str() + R"( bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<i32, stride=4> [0])>, StorageBuffer>
        spirv.func @k0(%i: i32) "None" {
          %a = spirv.Constant )" + stride.str() + R"( : i32
          %b = spirv.Constant )" + count.str() + R"( : i32
          %p = spirv.IMul %i, %a : i32
          %q = spirv.IAdd %p, %b : i32
          spirv.Return
        }
      }
    })";
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }

  /// Substitutes sizes in `mine`, given the modules `other` and (if not null) `third`, which were compiled with other
  /// placeholders. Stores the result in `substituted`. Returns the text of the resulting module if the result is Yes,
  /// otherwise "".
  std::string substitute(OwningOpRef<ModuleOp> mine, OwningOpRef<ModuleOp> other, OwningOpRef<ModuleOp> third = {}) {
    std::vector<OwningOpRef<ModuleOp>> modules, others, unsure;
    modules.push_back(std::move(mine));
    others.push_back(std::move(other));
    if (third)
      unsure.push_back(std::move(third));
    difference.clear();
    std::string text;
    substituted = heddle::substituteSizes(
        modules, others, unsure,
        [&](FunctionOpInterface func, const heddle::Sizes &sizes) {
          heddle::TargetOptions options;
          options.device = isa<spirv::FuncOp>(*func) ? "vulkan" : "cpu";
          auto target = heddle::createTarget(func.getLoc(), options);
          return (*target)->makeSizeArithmetic(func, sizes);
        },
        difference);
    if (substituted != heddle::SizesSubstituted::Yes)
      return text;
    EXPECT_TRUE(succeeded(verify(*modules.front())));
    llvm::raw_string_ostream os(text);
    modules.front()->print(os);
    return text;
  }

  MLIRContext context;
  std::string difference; // if `substituted` is No: the function in which the modules differ, and the reason
  heddle::SizesSubstituted substituted = heddle::SizesSubstituted::No; // the result of the last substitution
};

} // namespace

TEST_F(SubstituteSizes, MultiplesBecomeMultiplesOfTheSizes) {
  // The constant is 2 x m x s, and the index is 3 x s. Bytes 16 and 24 of the arena contain m and s.
  std::string text = substitute(make(false, "110", "33"), make(true, "182", "39"));
  EXPECT_NE(text.find("getelementptr %arg1[16]"), std::string::npos) << text;
  EXPECT_NE(text.find("getelementptr %arg1[24]"), std::string::npos) << text;
  EXPECT_NE(text.find("invariant"), std::string::npos) << text;
  EXPECT_EQ(text.find("110"), std::string::npos) << text;
  EXPECT_EQ(text.find("[33]"), std::string::npos) << text;
}

// After CSE, the number 5 and the placeholder 5 of a size are one constant in the first module. In the second module,
// the placeholder is 7, and there are two constants.
TEST_F(SubstituteSizes, ANumberMayEqualThePlaceholder) {
  auto makeSums = [&](bool other) {
    std::string size = other ? "7" : "5", five = other ? "%n" : "%m";
    std::string text = "module attributes {heddle.sizes = [{name = \"m\", low = 1, high = 8, placeholder = " + size +
                       "}]} { llvm.func @k0(%x: i64, %arena: !llvm.ptr {heddle.arena}) -> i64 {\n" +
                       (other ? "%n = llvm.mlir.constant(5 : i64) : i64\n" : "") + "%m = llvm.mlir.constant(" + size +
                       " : i64) : i64\n %a = llvm.mul %x, %m : i64\n %b = llvm.add %a, " + five +
                       " : i64\n llvm.return %b : i64 } }";
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  };
  std::string text = substitute(makeSums(false), makeSums(true));
  EXPECT_NE(text.find("%2 = llvm.mlir.constant(5 : i64)"), std::string::npos) << text;
  EXPECT_NE(text.find("%3 = llvm.mul %arg0, %1 : i64"), std::string::npos) << text; // %1: the size, read from the arena
  EXPECT_NE(text.find("%4 = llvm.add %3, %2 : i64"), std::string::npos) << text;
}

TEST_F(SubstituteSizes, KernelsReadSizesFromTheirFirstBuffer) {
  // The constants are 4 x s and m. The size s is i32 element 6, byte 24, of the arena.
  std::string text = substitute(makeKernel(false, "44", "5"), makeKernel(true, "52", "7"));
  EXPECT_NE(text.find("spirv.mlir.addressof @k0_arg_0"), std::string::npos) << text;
  EXPECT_NE(text.find("spirv.Constant 6 : i32"), std::string::npos) << text;
  EXPECT_NE(text.find("spirv.IMul %arg0, %"), std::string::npos) << text;
  EXPECT_EQ(text.find("Constant 44"), std::string::npos) << text;
  EXPECT_EQ(substitute(makeKernel(false, "44", "5"), makeKernel(true, "53", "7")), "");
  EXPECT_EQ(difference.substr(0, 5), "@k0 a");
  EXPECT_NE(difference.find(": a number is not a constant plus a multiple of one product of sizes"), std::string::npos);
  EXPECT_EQ(substitute(makeKernel(false, "44", "5", "other"), makeKernel(true, "52", "7", "other")), "");
}

TEST_F(SubstituteSizes, CodeInGpuModulesIsCompared) {
  auto makeDevice = [&](bool other) {
    std::string size = other ? "7" : "5";
    std::string text = "module attributes {heddle.sizes = [{name = \"m\", low = 1, high = 8, placeholder = " + size +
                       "}]} { gpu.module @kernels { llvm.func @k0(%x: i64, %arena: !llvm.ptr {heddle.arena}) -> i64 {\n"
                       "%m = llvm.mlir.constant(" +
                       size + " : i64) : i64\n %a = llvm.mul %x, %m : i64\n llvm.return %a : i64 } } }";
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  };
  std::string text = substitute(makeDevice(false), makeDevice(true));
  EXPECT_NE(text.find("getelementptr %arg1[16]"), std::string::npos) << text;
  EXPECT_EQ(text.find("constant(5 : i64)"), std::string::npos) << text;
  std::string two = substitute(makeDevice(false), makeDevice(false)); // with equal placeholders, nothing is replaced
  EXPECT_NE(two.find("constant(5 : i64)"), std::string::npos) << two;
}

TEST_F(SubstituteSizes, EqualNumbersDoNotDependOnSizes) {
  std::string text = substitute(make(false, "110", "33"), make(true, "110", "33"));
  EXPECT_NE(text.find("110"), std::string::npos) << text;
  EXPECT_NE(text.find("[33]"), std::string::npos) << text;
  EXPECT_EQ(text.find("%arg1["), std::string::npos) << text;
}

TEST_F(SubstituteSizes, OtherFunctionsOfPlaceholdersAreRefused) {
  EXPECT_EQ(substitute(make(false, "110", "32"), make(true, "182", "38")), ""); // 32 and 38 need not be 3 x s - 1
  EXPECT_EQ(substitute(make(false, "110", "33"), make(true, "182", "52")), ""); // 33 is 3 x s, but 52 is 4 x s
  EXPECT_EQ(substitute(make(false, "1", "33"), make(true, "2", "39")), "");
  EXPECT_EQ(substitute(make(false, "25", "33"), make(true, "91", "39")), "");   // 25 is m x m, but 91 is m x s
  EXPECT_EQ(substitute(make(false, "109", "33"), make(true, "181", "39")), ""); // 109 and 181 need not be 2 x m x s - 1
}

TEST_F(SubstituteSizes, SumsNeedAThirdModule) {
  using heddle::SizesSubstituted;
  // The constant is 3 x m x s + 14, and the index is 2 x s + 3.
  EXPECT_EQ(substitute(make(0, "179", "25"), make(1, "287", "29")), "");
  EXPECT_EQ(substituted, SizesSubstituted::Unsure);
  std::string text = substitute(make(0, "179", "25"), make(1, "287", "29"), make(2, "1187", "49"));
  EXPECT_NE(text.find("constant(14 : i64)"), std::string::npos) << text;
  EXPECT_EQ(text.find("179"), std::string::npos) << text;
  EXPECT_EQ(text.find("[25]"), std::string::npos) << text;
  // 8 and 10 are m + 3 in the first two modules, but in the third module, 18 is not 17 + 3.
  EXPECT_EQ(substitute(make(0, "8", "33"), make(1, "10", "39"), make(2, "18", "69")), "");
  EXPECT_EQ(substituted, SizesSubstituted::No);
  // 1, 3 and 13 are m - 4, which is negative at m = 1 and therefore refused.
  EXPECT_EQ(substitute(make(0, "1", "33"), make(1, "3", "39"), make(2, "13", "69")), "");
  EXPECT_EQ(substituted, SizesSubstituted::No);
  // 12, 18 and 48 are 3 x m - 3, which is 0 at m = 1.
  EXPECT_NE(substitute(make(0, "12", "33"), make(1, "18", "39"), make(2, "48", "69")), "");
}

/// Without an arena argument, the function has no memory from which it could read sizes.
TEST_F(SubstituteSizes, AFunctionNeedsTheArena) {
  EXPECT_EQ(substitute(make(false, "110", "33", ""), make(true, "182", "39", "")), "");
}

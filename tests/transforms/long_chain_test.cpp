//===- long_chain_test.cpp - code size of long chains ---------------------===//

#include "heddle/Pipeline.h"
#include "heddle/Registry.h"
#include "heddle/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;

/// Returns a module with a chain of additions and subtractions in an aperiodic order, so that no two kernels are equal.
static std::string chain(unsigned length) {
  std::string text = "func.func @main(%x: tensor<4x37xf32>, %v0: tensor<4x37xf32>) -> tensor<4x37xf32> {\n";
  for (unsigned i = 0; i < length; ++i)
    text += "%v" + std::to_string(i + 1) + (llvm::popcount(i) % 2 ? " = arith.addf" : " = arith.subf") + " %v" +
            std::to_string(i) + ", %x : tensor<4x37xf32>\n";
  return text + "return %v" + std::to_string(length) + " : tensor<4x37xf32>\n}";
}

/// A tile of a kernel consists of ten vectors. The generated code has a loop that computes three vectors in each
/// iteration, and code for the last vector after the loop, instead of code for each of the ten vectors. So there are
/// 3 + 1 vector operations for each operation of the chain. The code is divided into functions of limited length, since
/// LLVM needs more than linear time for a long function.
TEST(LongChain, CodeIsLinearInItsLength) {
  DialectRegistry registry;
  registerDialects(registry);
  for (unsigned length : {300u, 2400u}) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(chain(length), &context);
    TargetOptions generic;
    generic.cpu = "x86-64";
    auto target = createTarget(UnknownLoc::get(&context), generic);
    ASSERT_TRUE(succeeded(target));
    PipelineOptions options;
    options.target = target->get();
    ASSERT_TRUE(module && succeeded(runStages(*module, Stage::Import, Stage::Vectorize, options)));
    unsigned vectors = 0, longestFunction = 0;
    auto count = [](Operation *root) {
      unsigned found = 0;
      root->walk([&](Operation *op) {
        found += isa<arith::AddFOp, arith::SubFOp>(op) && isa<VectorType>(op->getResult(0).getType());
      });
      return found;
    };
    module->walk([&](func::FuncOp function) {
      vectors += count(function);
      longestFunction = std::max(longestFunction, count(function));
    });
    EXPECT_EQ(vectors, 4 * length);
    EXPECT_LE(longestFunction, 4 * 1024u);
  }
}

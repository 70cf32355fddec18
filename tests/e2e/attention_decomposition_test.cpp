//===- attention_decomposition_test.cpp - attention and decomposition -----===//
//
// The decomposition of heddle.attention into upstream operations and the interpreter's reference function were written
// independently. For random attention operations, their results must agree within the bound. (The bits of f64 results
// differ, because the decomposition rounds constants to f32.)
//
//===----------------------------------------------------------------------===//

#include "AttentionCases.h"

#include "Heddle.h"
#include "heddle/Import.h"
#include "heddle/Verify.h"

#include "mlir/IR/PatternMatch.h"
#include "gtest/gtest.h"

using namespace heddle;

TEST(AttentionDecomposition, MeansTheSameAsTheReference) {
  mlir::DialectRegistry registry;
  registerInterpreter(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  loadImportDialects(context);
  for (const AttentionCase &test : attentionCases(200, 1)) {
    SCOPED_TRACE(test.operation);
    auto model = importModel(context, test.operation);
    ASSERT_TRUE(succeeded(model));
    auto main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
    auto inputs = attentionInputs(main, test.seed);
    auto reference = computeReference(main, inputs, {});
    ASSERT_TRUE(succeeded(reference));

    AttentionOp attention = *main.getOps<AttentionOp>().begin();
    mlir::IRRewriter rewriter(attention);
    auto values = attention.decomposeOperation(rewriter);
    ASSERT_TRUE(succeeded(values));
    rewriter.replaceOp(attention, *values);
    auto results = interpret(main, inputs);
    ASSERT_TRUE(succeeded(results));
    for (auto [i, result] : llvm::enumerate(*results)) {
      Comparison comparison = compare(resultName(main, i), result, reference->wide[i], reference->narrow[i]);
      EXPECT_TRUE(comparison.ok) << comparison.text();
    }
  }
}

//===- work_test.cpp - operations and bytes of models ---------------------===//
//
// The work of a call is what a roofline needs: the number of arithmetic operations, how many of them are in matrix
// products (two for each multiply-add), and the numbers of bytes that are read and written.
//
//===----------------------------------------------------------------------===//

#include "bench/Candidates.h"
#include "heddle/Import.h"
#include "heddle/Registry.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;
using namespace heddle::bench;

/// Returns the work of a quoted operation; no work if there is an error.
static Work workOf(StringRef operation) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  FailureOr<Model> model = importModel(context, operation);
  bool wrongUsage = false;
  FieldOptions options;
  options.compile.target.cpu = "x86-64-v3";
  FailureOr<Field> field = findCandidates(*model->module, options, wrongUsage);
  return succeeded(field) ? field->work : Work();
}

TEST(Work, Linear) {
  Work work = workOf("linear m=8 n=16 k=32");
  EXPECT_EQ(work.products, 2.0 * 8 * 16 * 32);
  EXPECT_EQ(work.bytesRead, 4.0 * (8 * 32 + 32 * 16));
  EXPECT_EQ(work.bytesWritten, 4.0 * 8 * 16);
  EXPECT_EQ(workOf("linear m=8 n=16 k=32 weights=constant bias").bytesRead, 4.0 * (8 * 32 + 32 * 16 + 16));
}

TEST(Work, Ffn) {
  EXPECT_EQ(workOf("ffn m=4 k=8 h=32").products, 2.0 * 4 * 32 * (8 + 8));
  EXPECT_EQ(workOf("ffn m=4 k=8 h=32 gated=1").products, 2.0 * 4 * 32 * (16 + 8));
}

TEST(Work, CausalAttentionCountsOnlyAttendedKeys) {
  EXPECT_EQ(workOf("attention hq=2 s=16 d=8").products, 2.0 * 2 * 16 * 16 * 16);
  EXPECT_EQ(workOf("attention hq=2 s=16 d=8 causal=lower_right").products, 2.0 * 2 * (16 * 17 / 2) * 16);
  EXPECT_EQ(workOf("attention sq=4 skv=16 d=8 causal=lower_right").products, 2.0 * (13 + 14 + 15 + 16) * 16);
  EXPECT_EQ(workOf("attention sq=4 skv=16 d=8 causal=upper_left").products, 2.0 * (1 + 2 + 3 + 4) * 16);
}

TEST(Work, NormsHaveNoProducts) {
  Work work = workOf("layer_norm rows=8 d=32");
  EXPECT_EQ(work.products, 0);
  EXPECT_GT(work.flops, 0);
  EXPECT_EQ(work.bytes(), 4.0 * (2 * 8 * 32 + 2 * 32));
}

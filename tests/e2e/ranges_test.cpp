//===- ranges_test.cpp - one library, many sizes --------------------------===//
//
// Operations with sizes in a range, compiled once and judged at many sizes.
//
//===----------------------------------------------------------------------===//

#include "CompiledRange.h"

using namespace heddle;

using Ranges = QuotedRanges;

// Fewer rows than any tile, a tile, a row more or less, tasks for several threads.
static const size_t rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 37, 64, 97, 128, 199, 300};

static const char *const operations[] = {
    "linear m=1..300 n=64 k=39",
    "linear m=1..300 n=135 k=384 bias=1 weights=constant",
    "linear m=1..300 n=17 k=16 bias=1 residual=1 activation=gelu weights=constant",
    "linear m=1..300 n=33 k=9000 weights=constant",
    "layer_norm rows=1..300 d=384 residual=1",
    "layer_norm rows=1..300 d=17",
    "rms_norm rows=1..300 d=1000",
    "softmax rows=1..300 d=77",
    "ffn m=1..300 k=33 h=130 bias=1 residual=1 weights=constant",
    // Features that are multiples of numbers that stand for sizes in the second compilation.
    "linear m=1..300 n=202 k=303 bias=1 weights=constant",
};

TEST_P(Ranges, RowsOfAnyNumber) {
  SCOPED_TRACE(operations[GetParam()]);
  std::unique_ptr<Session> session = compileRange(operations[GetParam()]);
  ASSERT_TRUE(session);
  for (size_t count : rows)
    checkAt(*session, {count});
}

TEST_P(Ranges, RowsOfAnyNumberWithShortVectors) {
  cpu = "x86-64-v3";
  std::unique_ptr<Session> session = compileRange(operations[GetParam()]);
  ASSERT_TRUE(session);
  for (size_t count : {1, 5, 37, 128})
    checkAt(*session, {count});
}

/// A row is the same alone and among others.
TEST_P(Ranges, RowsDoNotDependOnOthers) {
  std::unique_ptr<Session> session = compileRange(operations[GetParam()]);
  ASSERT_TRUE(session);
  auto first = [&](size_t count) {
    auto fixed = importAt({count});
    auto inputs = randomInputs(fixed->module->lookupSymbol<mlir::func::FuncOp>("main"), 1); // of all rows alike
    std::vector<char> bytes = call(*session, {count}, *inputs, nullptr)[0];
    bytes.resize(bytes.size() / count);
    return bytes;
  };
  std::vector<char> alone = first(1);
  for (size_t count : {2, 3, 6, 11, 100})
    EXPECT_EQ(alone, first(count)) << count;
}

INSTANTIATE_TEST_SUITE_P(Operations, Ranges, testing::Range(0u, unsigned(std::size(operations))));

static const char *const batches[] = {
    "attention b=1..7 hq=4 s=70 d=32",
    "attention b=1..7 hq=4 hkv=2 s=33 d=17 causal=upper_left mask=b1qk layout=bshd",
    "attention b=1..7 hq=2 s=40 d=16 mask=b11k bias=bhqk key_lengths=1",
    "attention b=1..7 hq=2 s=70 d=32 weights=1",
    "attention b=1..7 hq=2 sq=1 skv=100 d=16",
    "attention b=1..7 hq=2 s=2 d=2 layout=bshd",
    "attention b=1..7 s=2 d=2", // as little work as is not worth a second thread, if it were not for the batch
    "attention b=1..7 hq=4 s=20 d=4 layout=bshd",
    "attention b=1..7 hq=2 s=200 d=32 softmax_precision=f64",
    "linear_attention b=1..7 h=3 s=40 d=16 normalized=1",
    "recurrent_attention b=1..7 hq=4 hkv=2 s=9 d=16 dv=7",
    "rotary_embedding b=1..7 h=5 s=17 d=16",
    "rotary_embedding b=3 h=5 s=1..7 d=16 layout=bshd r=10 interleaved=1",
    "ffn m=1..7 k=64 h=100 gated=1 bias=1",
};

struct Batches : QuotedRanges {};
TEST_P(Batches, AnyNumber) {
  SCOPED_TRACE(batches[GetParam()]);
  std::unique_ptr<Session> session = compileRange(batches[GetParam()]);
  ASSERT_TRUE(session);
  for (size_t count : {1, 2, 3, 7})
    checkAt(*session, {count});
}
INSTANTIATE_TEST_SUITE_P(Operations, Batches, testing::Range(0u, unsigned(std::size(batches))));

/// Blocks of positions: fewer than one, one, a position more or less.
static const char *const positions[] = {
    "attention hq=3 s=1..300 d=16",
    "attention hq=4 hkv=2 s=1..300 d=20 dv=9 causal=lower_right layout=bshd",
    "attention hq=4 hkv=2 sq=3 skv=1..300 d=20",
    "attention hq=2 s=1..300 d=16 mask=qk bias=b1qk weights=1",
    "linear_attention h=2 s=1..300 d=16 normalized=1",
    "linear_attention h=2 sq=40 skv=1..300 d=9 dv=5 feature_map=identity",
    "recurrent_attention hq=4 hkv=2 s=1..300 d=16 decay=row",
    "rotary_embedding h=2 s=1..300 d=16",
    "softmax rows=1..300 d=7 axis=0",
};

struct Positions : QuotedRanges {};
TEST_P(Positions, AnyNumber) {
  SCOPED_TRACE(positions[GetParam()]);
  for (const char *with : {"native", "x86-64-v3"}) {
    cpu = with;
    std::unique_ptr<Session> session = compileRange(positions[GetParam()]);
    ASSERT_TRUE(session);
    for (size_t count : {1, 6, 15, 16, 17, 48, 63, 64, 65, 130, 300})
      checkAt(*session, {count});
  }
}
INSTANTIATE_TEST_SUITE_P(Operations, Positions, testing::Range(0u, unsigned(std::size(positions))));

TEST_F(Ranges, TwoAtOnce) {
  std::unique_ptr<Session> session = compileRange("rotary_embedding b=1..4 h=3 s=1..90 d=16");
  ASSERT_TRUE(session);
  for (size_t batch : {1, 2, 4})
    for (size_t length : {1, 15, 90})
      checkAt(*session, {batch, length});
}

TEST_F(Ranges, OutOfRangeNothingRuns) {
  std::unique_ptr<Session> session = compileRange("softmax rows=3..9 d=8");
  ASSERT_TRUE(session);
  const heddle_model &library = session->model();
  ASSERT_EQ(library.size_count, 1u);
  EXPECT_STREQ(library.sizes[0].name, "rows");
  EXPECT_EQ(library.sizes[0].low, 3);
  EXPECT_EQ(library.sizes[0].high, 9);
  std::vector<float> x(10 * 8, 1), y(10 * 8, -1);
  std::vector<char> arena(1 << 16);
  uint64_t state[4];
  ASSERT_EQ(library.init(state, nullptr, nullptr, 0), HEDDLE_OK);
  const void *inputs[] = {x.data()};
  void *outputs[] = {y.data()};
  for (size_t size : {size_t(0), size_t(2), size_t(10), SIZE_MAX}) {
    EXPECT_EQ(library.run(state, &size, inputs, outputs, arena.data(), arena.size(), nullptr), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(library.arena_size(&size, 1), 0u);
  }
  EXPECT_EQ(library.run(state, nullptr, inputs, outputs, arena.data(), arena.size(), nullptr), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(library.arena_size(nullptr, 1), 0u);
  EXPECT_EQ(y, std::vector<float>(10 * 8, -1));
  size_t size = 9;
  EXPECT_LE(library.arena_size(&size, 1), arena.size());
  EXPECT_EQ(library.run(state, &size, inputs, outputs, arena.data(), arena.size(), nullptr), HEDDLE_OK);
  EXPECT_EQ(y[8 * 8], 0.125f);
  EXPECT_EQ(y[9 * 8], -1);
}

/// Key lengths reach up to the keys of the call, not to those of the largest: what lies behind them is not the
/// caller's.
TEST_F(Ranges, AnInputIsHeldAgainstTheSizesOfTheCall) {
  std::unique_ptr<Session> session = compileRange("attention b=2 hq=2 sq=3 skv=1..40 d=8 key_lengths=1");
  ASSERT_TRUE(session);
  const heddle_tensor &lengths = session->model().inputs[3];
  EXPECT_STREQ(lengths.name, "key_lengths");
  EXPECT_EQ(lengths.low, 0);
  EXPECT_EQ(lengths.high, 40);
  std::vector<float> numbers(2 * 2 * 40 * 8, 1);
  std::vector<char> arena(1 << 16);
  for (size_t keys : {1, 7, 40}) {
    session->setSizes(keys);
    for (int64_t length : {int64_t(-1), int64_t(0), int64_t(keys), int64_t(keys + 1)}) {
      int64_t both[] = {0, length};
      llvm::Error error = session->run({numbers.data(), numbers.data(), numbers.data(), both}, {arena.data()});
      bool inside = length >= 0 && length <= int64_t(keys);
      EXPECT_EQ(llvm::toString(std::move(error)), inside ? "" : "model: an index, given or computed, is outside its range")
          << length << " of " << keys;
    }
  }
}

/// A window wider than a call's positions is no limit to these, however many there may be.
TEST_F(Ranges, AWindowIsAsWideAsTheLargestSizesAllow) {
  std::unique_ptr<Session> session = compileRange("attention s=1..2000000000 d=4 window=3,2147483647");
  ASSERT_TRUE(session);
  for (size_t positions : {1, 300})
    checkAt(*session, positions);
}

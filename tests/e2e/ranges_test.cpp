//===- ranges_test.cpp - one library for many sizes -----------------------===//
//
// Compiles operations with sizes in a range once, and compares their results with the interpreter at many sizes. Code
// for a range must also be right at sizes at which a tile, a block or a task is only partly filled.
//
// operationsOf(in::Rows) returns the quoted operations of tests/e2e/Operations.cpp that are tested here with a range of
// rows, and GetParam() is the index of one of them. Batches and Positions are other groups of operations.
//
//===----------------------------------------------------------------------===//

#include "CompiledRange.h"
#include "Operations.h"

using namespace heddle;

using Ranges = QuotedRanges;

// The numbers of rows of the tested calls. They include fewer rows than a tile, exactly a tile, one row more or less,
// and enough rows for tasks on several threads.
static const size_t rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 37, 64, 97, 128, 199, 300};

TEST_P(Ranges, AnyNumberOfRows) {
  std::string operation = operationsOf(in::Rows)[GetParam()];
  SCOPED_TRACE(operation);
  std::unique_ptr<Session> session = compileRange(operation);
  ASSERT_TRUE(session);
  for (size_t count : rows)
    checkAt(*session, {count});
}

TEST_P(Ranges, AnyNumberOfRowsWithShortVectors) {
  cpu = "x86-64-v3";
  std::unique_ptr<Session> session = compileRange(operationsOf(in::Rows)[GetParam()]);
  ASSERT_TRUE(session);
  for (size_t count : {1, 5, 37, 128})
    checkAt(*session, {count});
}

/// Tests every number of rows in a range. The calls therefore have tiles of all heights, and one, two, three and more
/// tiles.
TEST_F(Ranges, EveryNumberOfRows) {
  for (const char *with : {"native", "x86-64-v3"})
    for (const char *operation : {"linear m=1..60 n=60 k=39 bias=1 activation=gelu", "linear m=11..40 n=200 k=64 residual=1"}) {
      SCOPED_TRACE(operation);
      cpu = with;
      std::unique_ptr<Session> session = compileRange(operation);
      ASSERT_TRUE(session);
      for (size_t count = size_t(ranges[0].low); count <= size_t(ranges[0].high); ++count)
        checkAt(*session, {count});
    }
}

/// The result of a row has the same bits in a call with this row only and in calls with more rows.
TEST_P(Ranges, RowsDoNotDependOnOthers) {
  std::unique_ptr<Session> session = compileRange(operationsOf(in::Rows)[GetParam()]);
  ASSERT_TRUE(session);
  // Returns the bytes of the first row of the result of a call with `count` rows. The random numbers of an input are in
  // row-major order, so the first row of the input is the same for every count.
  auto first = [&](size_t count) {
    auto fixed = importAt({count});
    auto inputs = randomInputs(fixed->module->lookupSymbol<mlir::func::FuncOp>("main"), 1);
    std::vector<char> bytes = call(*session, {count}, *inputs, nullptr)[0];
    bytes.resize(bytes.size() / count);
    return bytes;
  };
  std::vector<char> alone = first(1);
  for (size_t count : {2, 3, 5, 6, 11, 25, 100})
    EXPECT_EQ(alone, first(count)) << count;
}

INSTANTIATE_OPERATIONS(Ranges, Rows);

struct RangesOfBatches : QuotedRanges {};
TEST_P(RangesOfBatches, AnyNumber) {
  std::string operation = operationsOf(in::Batches)[GetParam()];
  SCOPED_TRACE(operation);
  std::unique_ptr<Session> session = compileRange(operation);
  ASSERT_TRUE(session);
  for (size_t count : {1, 2, 3, 7})
    checkAt(*session, {count});
}
INSTANTIATE_OPERATIONS(RangesOfBatches, Batches);

/// Code computes positions in blocks. The tested numbers of positions include fewer positions than a block, exactly a
/// block, and one position more or less.
struct RangesOfPositions : QuotedRanges {};
TEST_P(RangesOfPositions, AnyNumber) {
  std::string operation = operationsOf(in::Positions)[GetParam()];
  SCOPED_TRACE(operation);
  for (const char *with : {"native", "x86-64-v3"}) {
    cpu = with;
    std::unique_ptr<Session> session = compileRange(operation);
    ASSERT_TRUE(session);
    for (size_t count : {1, 6, 15, 16, 17, 48, 63, 64, 65, 130, 300})
      checkAt(*session, {count});
  }
}
INSTANTIATE_OPERATIONS(RangesOfPositions, Positions);

TEST_F(Ranges, TwoSizesInRanges) {
  std::unique_ptr<Session> session = compileRange("rotary_embedding b=1..4 h=3 s=1..90 d=16");
  ASSERT_TRUE(session);
  for (size_t batch : {1, 2, 4})
    for (size_t length : {1, 15, 90})
      checkAt(*session, {batch, length});
}

/// A call with a size outside of the range returns an error and does not write its outputs.
TEST_F(Ranges, ACallWithASizeOutOfRangeIsRefused) {
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

/// Key lengths must not exceed the number of keys of the call, even if the range allows more keys, because code must
/// not read memory after the keys of the call.
TEST_F(Ranges, ElementsAreCheckedAgainstTheSizesOfTheCall) {
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

/// The right bound of the window, 2^31 - 1, exceeds the largest number of positions, so it removes no keys. The sum of
/// a position (except 0) and this bound does not fit into a signed integer of 32 bits.
TEST_F(Ranges, AWindowMayBeWiderThanTheRange) {
  std::unique_ptr<Session> session = compileRange("attention s=1..2000000000 d=4 window=3,2147483647");
  ASSERT_TRUE(session);
  for (size_t positions : {1, 300})
    checkAt(*session, positions);
}

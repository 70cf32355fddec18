//===- padding_test.cpp - padding that is not computed --------------------===//
//
// An encoder compiled once for its sentence embedding alone, and once with rows of zeros
// where the mask is 0, called with masks of all kinds.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

namespace {

constexpr int64_t batch = 4, positions = 13;

/// The mask of each batch entry, given the entry's number.
using Mask = bool (*)(int64_t entry, int64_t position);

const std::pair<const char *, Mask> masks[] = {
    {"none", [](int64_t, int64_t) { return true; }},
    {"right", [](int64_t b, int64_t s) { return s < 1 + 4 * b; }},
    {"left", [](int64_t b, int64_t s) { return s >= 1 + 3 * b; }},
    {"holes", [](int64_t b, int64_t s) { return (s * (b + 3)) % 5 != 1; }},
    {"one entry without a token", [](int64_t b, int64_t s) { return b != 1 && s < 7; }},
    {"no token at all", [](int64_t, int64_t) { return false; }},
};

struct Padding : QuotedOperations {
  ~Padding() override { heddle_executor_destroy(three); }

  /// Right, and the same bits at one, two and three threads; `zero`: padded rows are 0.
  void check(const heddle::ImportOptions &options, bool zero) {
    heddle::ImportOptions all = options;
    all.dims["batch_size"] = batch;
    all.dims["sequence_length"] = positions;
    auto model = heddle::importModel(context, HEDDLE_TEST_DATA "/../../examples/data/tiny-bert", all);
    ASSERT_TRUE(succeeded(model));
    auto judge = model->module.get().clone();
    mlir::OwningOpRef<mlir::ModuleOp> owner(judge);
    auto main = judge.lookupSymbol<mlir::func::FuncOp>("main");
    heddle::WeightStore weights = model->weights;
    std::vector<std::string> names;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      names.push_back(heddle::resultName(main, i));
    std::unique_ptr<heddle::Session> session = compileHere(std::move(*model));
    ASSERT_TRUE(session);
    for (auto [name, mask] : masks) {
      SCOPED_TRACE(name);
      auto inputs = *heddle::randomInputs(main, 7);
      for (int64_t i = 0; i < batch * positions; ++i)
        inputs[1].mutableInts()[i] = mask(i / positions, i % positions);
      auto reference = heddle::computeReference(main, inputs, heddle::weightsFrom(weights));
      ASSERT_TRUE(succeeded(reference));
      auto alone = callWith(*session, inputs, nullptr);
      expectRight(alone, names, *reference);
      EXPECT_EQ(alone, callWith(*session, inputs, executor)) << "two threads give other bits than one";
      EXPECT_EQ(alone, callWith(*session, inputs, three)) << "three threads give other bits than one";
      size_t row = alone[0].size() / (batch * positions);
      for (int64_t i = 0; zero && i < batch * positions; ++i)
        if (!mask(i / positions, i % positions))
          EXPECT_TRUE(llvm::all_of(llvm::ArrayRef(alone[0]).slice(i * row, row), [](char c) { return c == 0; }));
    }
  }

  heddle_executor *three = heddle_executor_create(3);
};

TEST_F(Padding, SentenceEmbeddingAlone) {
  heddle::ImportOptions options;
  options.outputs = {"sentence_embedding"};
  check(options, /*zero=*/false);
}

TEST_F(Padding, RowsOfZeros) {
  heddle::ImportOptions options;
  options.skipPadding = true;
  check(options, /*zero=*/true);
}

} // namespace

//===- states_test.cpp - states kept between calls ------------------------===//
//
// Tests the C functions of a model with a state, which contains the keys and values of earlier calls. The tests check
// results of several calls, and that each invalid call returns its own status and does not change the state.
// tests/cli/states.test compares the results of random sequences of calls with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "CompiledRange.h"
#include "heddle/GuardedBytes.h"

#include <thread>

using namespace heddle;

namespace {

// The numbers of heads of queries and of keys, the elements of a head, the number of sequences, and the number of rows
// for which the state has room in each sequence.
constexpr size_t heads = 4, storedHeads = 2, width = 16, batch = 2, capacity = 24;

/// A fixture with the attention of the example 10-decoder-state-in-c, compiled for ranges of all its sizes.
struct States : QuotedOperations {
  void SetUp() override {
    ImportOptions options;
    options.ranges = {{"batch_size", 1, 4}, {"sequence_length", 1, 8}, {"capacity", 8, 64}};
    auto model = importModel(context, HEDDLE_TEST_DATA "/../../examples/10-decoder-state-in-c/attention.mlir", options);
    ASSERT_TRUE(succeeded(model));
    session = compileHere(std::move(*model));
    ASSERT_TRUE(session);
    ASSERT_EQ(session->model().state_count, 1u);
    ASSERT_EQ(session->model().input_count, 5u); // query, key, value, past and the state
    session->setSizes({batch, 1, capacity});
  }

  struct Result {
    heddle_status status;
    std::vector<float> out;
  };
  /// Calls the model with `rows` new rows for each sequence, whose elements are random numbers from `seed`. `past`
  /// contains the number of earlier rows that each sequence keeps; if it is null, all sequences keep all rows.
  Result call(Session &session, const heddle_state_memory *state, size_t rows, const int64_t *past, unsigned seed,
              const heddle_executor *threads = nullptr) {
    session.setSizes({batch, rows, capacity});
    std::vector<std::vector<float>> in;
    for (size_t of : {heads, storedHeads, storedHeads}) {
      in.emplace_back(batch * of * rows * width);
      for (float &x : in.back())
        x = float((seed = seed * 1103515245 + 12345) >> 16 & 0xff) / 128 - 1;
    }
    Result result{HEDDLE_OK, std::vector<float>(batch * heads * rows * width)};
    EXPECT_FALSE(bool(session.poisonArena(threads)));
    result.status =
        session.tryRun({in[0].data(), in[1].data(), in[2].data(), past, state}, {result.out.data()}, threads);
    return result;
  }
  Result call(const heddle_state_memory *state, size_t rows, const int64_t *past = nullptr, unsigned seed = 1) {
    return call(*session, state, rows, past, seed);
  }

  std::unique_ptr<Session> session;
};

} // namespace

/// The state lies directly before or directly after an inaccessible page, so that an access beyond its end or before
/// its start crashes.
TEST_F(States, CallsAccessOnlyTheMemoryOfTheState) {
  for (bool atEnd : {true, false}) {
    size_t size = session->stateSize();
    ASSERT_EQ(size % 8, 0u);
    GuardedBytes memory(size, atEnd);
    memset(memory.data(), 0xff, size);
    heddle_state_memory state = {memory.data(), size};
    ASSERT_EQ(session->initState(state), HEDDLE_OK);
    EXPECT_EQ(call(&state, 8).status, HEDDLE_OK);
    EXPECT_EQ(call(&state, 8).status, HEDDLE_OK);
    EXPECT_EQ(session->copyState(state, 0, 1), HEDDLE_OK);
    Result last = call(&state, 8);
    EXPECT_EQ(last.status, HEDDLE_OK);
    EXPECT_TRUE(llvm::none_of(last.out, [](float x) { return std::isnan(x); }));
    EXPECT_EQ(call(&state, 1).status, HEDDLE_STATE_FULL);
  }
}

TEST_F(States, EachErrorHasAStatusAndChangesNothing) {
  std::vector<uint64_t> memory(session->stateSize() / 8 + 1), other = memory;
  heddle_state_memory state = {memory.data(), session->stateSize()};
  EXPECT_EQ(call(&state, 1).status, HEDDLE_STATE_NOT_INITIALISED);
  ASSERT_EQ(session->initState(state), HEDDLE_OK);
  ASSERT_EQ(call(&state, 5).status, HEDDLE_OK);
  const std::vector<uint64_t> before = memory;
  auto refused = [&](const heddle_state_memory *given, heddle_status status, const int64_t *past = nullptr) {
    EXPECT_EQ(call(given, 1, past).status, status) << heddle_status_text(status);
    EXPECT_EQ(memory, before);
  };
  refused(nullptr, HEDDLE_INVALID_ARGUMENT);
  heddle_state_memory none = {nullptr, state.size}, odd = {reinterpret_cast<char *>(memory.data()) + 4, state.size},
                      small = {memory.data(), state.size - 1}, tiny = {memory.data(), 8};
  refused(&none, HEDDLE_INVALID_ARGUMENT);
  refused(&odd, HEDDLE_INVALID_ARGUMENT);
  refused(&small, HEDDLE_STATE_TOO_SMALL);
  refused(&tiny, HEDDLE_STATE_TOO_SMALL);
  const int64_t beyond[] = {5, 6}, negative[] = {-1, 5};
  refused(&state, HEDDLE_STATE_NOT_FILLED, beyond);
  refused(&state, HEDDLE_STATE_NOT_FILLED, negative);
  // The state was initialised for another batch size or another capacity.
  for (std::vector<size_t> sizes : {std::vector<size_t>{1, 1, capacity}, {batch, 1, capacity - 1}}) {
    session->setSizes(sizes);
    heddle_state_memory elsewhere = {other.data(), other.size() * 8};
    ASSERT_EQ(session->initState(elsewhere), HEDDLE_OK);
    refused(&elsewhere, HEDDLE_STATE_OF_OTHER_SIZES);
  }
  // A call checks the first five words of the state's header, and the numbers of filled rows.
  uint64_t lengths = session->valueOf(session->model().states->filled) / 8;
  for (auto [word, status] : {std::pair(0, HEDDLE_STATE_NOT_INITIALISED),
                              {1, HEDDLE_STATE_OF_ANOTHER_MODEL},
                              {2, HEDDLE_STATE_NOT_INITIALISED},
                              {3, HEDDLE_STATE_OF_OTHER_SIZES},
                              {4, HEDDLE_STATE_OF_OTHER_SIZES}}) {
    memory[word] ^= uint64_t(1) << 40;
    EXPECT_EQ(call(&state, 1).status, status) << word;
    memory[word] = before[word];
  }
  for (uint64_t wrong : {uint64_t(capacity + 1), ~uint64_t(0)}) {
    memory[lengths] = wrong;
    EXPECT_EQ(call(&state, 1).status, HEDDLE_STATE_NOT_INITIALISED);
    EXPECT_EQ(session->copyState(state, 0, 1), HEDDLE_STATE_NOT_INITIALISED);
    memory[lengths] = before[lengths];
  }
  EXPECT_EQ(session->copyState(state, batch, 0), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(session->copyState(state, 0, batch), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(session->copyState(small, 0, 1), HEDDLE_STATE_TOO_SMALL);
  EXPECT_EQ(session->initState(none), HEDDLE_INVALID_ARGUMENT);
  session->setSizes({batch, 1, capacity});
  EXPECT_EQ(session->initState(small), HEDDLE_STATE_TOO_SMALL);
  EXPECT_EQ(memory, before);
  session->setSizes({batch, 1, 65});
  EXPECT_EQ(session->stateSize(), 0u);
  EXPECT_EQ(session->initState(state), HEDDLE_INVALID_ARGUMENT);
}

/// A call whose `past` is less than the number of filled rows continues after these rows and discards all later rows.
TEST_F(States, ARewindDiscardsLaterRows) {
  std::vector<uint64_t> memory(session->stateSize() / 8);
  heddle_state_memory state = {memory.data(), session->stateSize()};
  ASSERT_EQ(session->initState(state), HEDDLE_OK);
  ASSERT_EQ(call(&state, 6).status, HEDDLE_OK);
  Result once = call(&state, 3, nullptr, 7);
  ASSERT_EQ(call(&state, 4, nullptr, 8).status, HEDDLE_OK);
  const int64_t back[] = {6, 6};
  Result again = call(&state, 3, back, 7);
  EXPECT_EQ(again.status, HEDDLE_OK);
  EXPECT_EQ(once.out, again.out);
  EXPECT_EQ(call(&state, 1, std::vector<int64_t>{9, 10}.data()).status, HEDDLE_STATE_NOT_FILLED);
}

/// The results do not depend on the contents of the state's memory before it is initialised.
TEST_F(States, UnfilledRowsDoNotInfluenceResults) {
  std::vector<std::vector<float>> results;
  for (float junk :
       {0.0f, 1.0f, 3e38f, -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    session->setSizes({batch, 1, capacity});
    std::vector<uint64_t> memory(session->stateSize() / 8);
    heddle_state_memory state = {memory.data(), session->stateSize()};
    auto *floats = reinterpret_cast<float *>(memory.data());
    std::fill(floats, floats + memory.size() * 2, junk);
    ASSERT_EQ(session->initState(state), HEDDLE_OK);
    results.emplace_back();
    for (size_t rows : {3, 1, 8, 1}) {
      Result result = call(&state, rows);
      EXPECT_EQ(result.status, HEDDLE_OK);
      results.back().insert(results.back().end(), result.out.begin(), result.out.end());
    }
    EXPECT_EQ(results.front(), results.back()) << junk;
  }
}

TEST_F(States, ConcurrentCallsOnDifferentStates) {
  auto play = [&](Session &session, unsigned seed, const heddle_executor *threads) {
    std::vector<uint64_t> memory(this->session->stateSize() / 8);
    heddle_state_memory state = {memory.data(), memory.size() * 8};
    EXPECT_EQ(session.initState(state), HEDDLE_OK);
    std::vector<float> all;
    for (size_t rows : {5, 1, 1, 3, 1}) {
      Result result = call(session, &state, rows, nullptr, seed + unsigned(rows), threads);
      EXPECT_EQ(result.status, HEDDLE_OK);
      all.insert(all.end(), result.out.begin(), result.out.end());
    }
    return all;
  };
  std::vector<std::vector<float>> alone, together(4);
  for (unsigned i = 0; i < together.size(); ++i) {
    session->setSizes({batch, 1, capacity});
    alone.push_back(play(*session, i, nullptr));
  }
  session->setSizes({batch, 1, capacity});
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < together.size(); ++i)
    threads.emplace_back([&, i] {
      std::unique_ptr<Session> own = session->share();
      together[i] = play(*own, i, i % 2 ? executor : nullptr);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(alone, together);
}

// The description of a library contains the number of new rows of a call and the capacity as expressions of the sizes.
// These expressions must be right for each class of sizes (a subrange with code of its own), including classes of a
// single size, in which code contains the size as a constant.
TEST_F(QuotedOperations, RowsOfACallAreDescribedForEveryClass) {
  ImportOptions options;
  options.ranges = {{"batch_size", 1, 4},
                    {"sequence_length", 1, 8, {{1, 1}, {2, 3}, {4, 8}}},
                    {"capacity", 8, 64}};
  auto model = importModel(context, HEDDLE_TEST_DATA "/../../examples/10-decoder-state-in-c/attention.mlir", options);
  ASSERT_TRUE(succeeded(model));
  ASSERT_EQ(model->classes.size(), 3u);
  std::unique_ptr<Session> session = compileHere(std::move(*model));
  ASSERT_TRUE(session);
  const heddle_state &described = *session->model().states;
  for (size_t rows = 1; rows <= 8; ++rows) {
    session->setSizes({batch, rows, capacity});
    EXPECT_EQ(session->valueOf(described.rows), rows);
    EXPECT_EQ(session->valueOf(described.capacity), capacity);
  }
}

// All classes of sizes use the same layout of a state. Code for a class of one batch size or one capacity accepts a
// state that other classes wrote, and refuses a state for another batch size or capacity.
TEST_F(QuotedOperations, ClassesOfOneSizeShareTheLayoutOfAState) {
  ImportOptions options;
  options.ranges = {{"batch_size", 1, 4, {{1, 1}, {2, 4}}},
                    {"sequence_length", 1, 8, {{1, 1}, {2, 8}}},
                    {"capacity", 8, 64, {{8, 8}, {9, 64}}}};
  auto model = importModel(context, HEDDLE_TEST_DATA "/../../examples/10-decoder-state-in-c/attention.mlir", options);
  ASSERT_TRUE(succeeded(model));
  std::unique_ptr<Session> session = compileHere(std::move(*model));
  ASSERT_TRUE(session);
  const heddle_state &described = *session->model().states;
  for (size_t sequences : {1, 2, 4})
    for (size_t room : {8, 9, 64}) {
      session->setSizes({sequences, 8, room});
      EXPECT_EQ(session->valueOf(described.batch_size), sequences);
      EXPECT_EQ(session->valueOf(described.capacity), room);
      std::vector<uint64_t> memory(session->stateSize() / 8);
      heddle_state_memory state = {memory.data(), memory.size() * 8};
      ASSERT_EQ(session->initState(state), HEDDLE_OK);
      std::vector<float> rows(sequences * heads * 8 * width, 1), out(rows.size());
      auto call = [&](size_t batchSize, size_t length, size_t capacity, const int64_t *past) {
        session->setSizes({batchSize, length, capacity});
        EXPECT_FALSE(bool(session->reserveArena()));
        return session->tryRun({rows.data(), rows.data(), rows.data(), past, &state}, {out.data()});
      };
      EXPECT_EQ(call(sequences, 7, room, nullptr), HEDDLE_OK);
      EXPECT_EQ(call(sequences, 1, room, nullptr), HEDDLE_OK);
      for (size_t other : {8, 9, 64})
        if (other != room)
          EXPECT_EQ(call(sequences, 1, other, nullptr), HEDDLE_STATE_OF_OTHER_SIZES);
      if (sequences > 1)
        EXPECT_EQ(call(1, 1, room, nullptr), HEDDLE_STATE_OF_OTHER_SIZES);
      EXPECT_EQ(call(sequences, 1, room, nullptr), room == 8 ? HEDDLE_STATE_FULL : HEDDLE_OK);
      session->setSizes({sequences, 1, room});
      EXPECT_EQ(session->copyState(state, sequences - 1, 0), HEDDLE_OK);
    }
}

// The expression for the offset of a layer's keys or values has the same length for each layer. (A sum over all earlier
// tensors of the state would grow from layer to layer.)
TEST_F(QuotedOperations, OffsetExpressionsDoNotGrowWithTheLayer) {
  ImportOptions options;
  options.decoder = true;
  options.ranges = {{"batch_size", 1, 4}, {"sequence_length", 1, 8}, {"capacity", 8, 32}};
  auto model = importModel(context, HEDDLE_TEST_DATA "/../data/huggingface/tiny-gemma3", options);
  ASSERT_TRUE(succeeded(model));
  std::unique_ptr<Session> session = compileHere(std::move(*model));
  ASSERT_TRUE(session);
  const heddle_state &described = *session->model().states;
  ASSERT_EQ(described.tensor_count, 6u); // keys and values of three layers
  session->setSizes({batch, 1, capacity});
  uint64_t first = session->valueOf(described.offsets[0]), each = session->valueOf(described.offsets[1]) - first;
  for (uint64_t i = 0; i < 6; ++i)
    EXPECT_EQ(session->valueOf(described.offsets[i]), first + i * each);
  EXPECT_EQ(session->stateSize(), first + 6 * each);
  for (uint64_t i = 3; i < 6; ++i)
    EXPECT_EQ(described.offsets[i].words, described.offsets[2].words);
}

// A call that fails fills no rows. The part of the state that each call replaces as a whole is lost if a call fails, so
// each sequence must restart with a past of 0.
TEST_F(QuotedOperations, AFailedCallFillsNoRows) {
  auto model = importModel(context, HEDDLE_TEST_DATA "/../e2e/Inputs/state-and-index.mlir");
  ASSERT_TRUE(succeeded(model));
  std::unique_ptr<Session> session = compileHere(std::move(*model));
  ASSERT_TRUE(session);
  std::vector<uint64_t> memory(session->stateSize() / 8, ~uint64_t(0));
  heddle_state_memory state = {memory.data(), memory.size() * 8};
  ASSERT_EQ(session->initState(state), HEDDLE_OK);
  ASSERT_FALSE(bool(session->reserveArena()));
  const heddle_state &described = *session->model().states;
  const auto *filled = reinterpret_cast<const int64_t *>(memory.data()) + session->valueOf(described.filled) / 8;
  const auto *sum = reinterpret_cast<const float *>(memory.data()) + session->valueOf(described.offsets[1]) / 4;
  float rows[8] = {}, table[4] = {}, out[2];
  auto call = [&](int64_t index, const int64_t *past) {
    const int64_t indices[] = {index, 0};
    return session->tryRun({rows, table, indices, past, &state}, {out});
  };
  EXPECT_EQ(call(1, nullptr), HEDDLE_OK);
  EXPECT_EQ(call(1, nullptr), HEDDLE_OK);
  EXPECT_EQ(filled[0], 2);
  EXPECT_EQ(sum[0], 2); // initState() sets "sum" to zeros, and each of two calls adds 1
  EXPECT_EQ(call(2, nullptr), HEDDLE_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(filled[0], 2);
  EXPECT_EQ(call(1, nullptr), HEDDLE_STATE_NOT_FILLED);
  EXPECT_EQ(session->copyState(state, 0, 1), HEDDLE_STATE_NOT_FILLED); // the sequence cannot be copied either
  EXPECT_EQ(session->copyState(state, 0, 0), HEDDLE_STATE_NOT_FILLED);
  const int64_t back[] = {1, 1}, begin[] = {0, 0}, one[] = {1, 0};
  EXPECT_EQ(call(1, back), HEDDLE_STATE_NOT_FILLED);
  EXPECT_EQ(call(1, begin), HEDDLE_OK);
  EXPECT_EQ(filled[0], 1);
  EXPECT_EQ(sum[0], 1);
  EXPECT_EQ(call(1, one), HEDDLE_OK); // the first sequence continues, and the second restarts
  EXPECT_EQ(filled[0], 2);
  EXPECT_EQ(filled[1], 1);
  EXPECT_EQ(sum[0], 2);
  EXPECT_EQ(sum[4], 1);
  EXPECT_EQ(session->copyState(state, 0, 1), HEDDLE_OK);
  EXPECT_EQ(sum[4], 2);
}

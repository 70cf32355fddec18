//===- guard_pages_test.cpp - accesses outside of a call's memory ---------===//
//
// Calls libraries with sizes in ranges. Inputs, weights, outputs, and an arena of exactly the required size are placed
// directly before or directly after guard pages, so that an access outside of this memory causes a signal. Sizes are
// small or near multiples of tiles, and indices may be out of range.
//
//===----------------------------------------------------------------------===//

#include "CompiledRange.h"
#include "heddle/GuardedBytes.h"
#include "Operations.h"

#include <csignal>
#include <functional>

using namespace heddle;

namespace {

/// Describes the current call, with a newline at the end. It is printed if the call causes a signal.
std::string currentCall;

/// A signal handler that prints the current call and then terminates the program by the same signal.
void printCallAndDie(int number) {
  static const char what[] = "a call accesses memory outside of its arguments: ";
  ssize_t written = write(STDERR_FILENO, what, sizeof what - 1);
  written = std::min(written, write(STDERR_FILENO, currentCall.data(), currentCall.size()));
  signal(number, written < 0 ? SIG_IGN : SIG_DFL);
  raise(number);
}

const char *const cpus[] = {"native", "x86-64-v3", "x86-64"};

struct GuardPages : QuotedRanges {
  using Points = std::vector<std::vector<size_t>>;

  GuardPages() {
    signal(SIGSEGV, printCallAndDie);
    signal(SIGBUS, printCallAndDie);
  }
  ~GuardPages() override {
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    heddle_executor_destroy(three);
  }

  /// Compiles the model `what` for cpus[turn % 3], and calls it with combinations of sizes.
  void check(llvm::StringRef what, unsigned turn, const ImportOptions &options = {}) {
    auto imported = importModel(context, what, options);
    ASSERT_TRUE(succeeded(imported));
    keep(*imported);
    CompileOptions compile;
    compile.target.cpu = cpus[turn % std::size(cpus)];
    auto compiled = compileModel(std::move(*imported), compile);
    ASSERT_TRUE(succeeded(compiled));
    weights = compiled->weights;
    auto session = loadHere(std::move(*compiled), "model");
    ASSERT_TRUE(bool(session)) << llvm::toString(session.takeError());
    for (const std::vector<size_t> &sizes : oddSizes()) {
      std::string call = what.str() + " for " + compile.target.cpu;
      for (auto [name, size] : llvm::zip_equal(names, sizes))
        call += ", " + name + "=" + std::to_string(size);
      callAt(**session, sizes, call);
    }
    checkOutOfRange((*session)->model());
  }

private:
  /// Returns combinations of sizes: for a single size, the values of the list below that are in its range, and its
  /// maximum; for two sizes, every third combination of such values.
  Points oddSizes() const {
    Points points = {{}};
    for (const SizeRange &range : ranges) {
      std::vector<size_t> odd;
      for (int64_t size : {1, 2, 3, 7, 15, 16, 17, 31, 63, 64, 65, 77})
        if (size >= range.low && size < range.high)
          odd.push_back(size);
      odd.push_back(range.high);
      Points more;
      for (auto [i, before] : llvm::enumerate(points))
        for (size_t k = i % 3; k < odd.size(); k += ranges.size() > 1 && points.size() > 1 ? 3 : 1) {
          more.push_back(before);
          more.back().push_back(odd[k]);
        }
      points = std::move(more);
    }
    return points;
  }

  /// Calls the library with memory directly before and directly after a guard page, on one, two and three threads.
  /// Checks that all calls return `status` and, if `status` is HEDDLE_OK, results with the same bits. `call` describes
  /// the call, for messages.
  void callAt(Session &session, llvm::ArrayRef<size_t> sizes, const std::string &call) {
    SCOPED_TRACE(call);
    auto fixed = importAt(sizes);
    ASSERT_TRUE(succeeded(fixed));
    auto inputs = randomInputs(fixed->module->lookupSymbol<mlir::func::FuncOp>("main"), sizes.back());
    ASSERT_TRUE(succeeded(inputs));
    if (change)
      change(*inputs);
    session.setSizes(sizes);
    Bytes first;
    for (bool atEnd : {true, false})
      for (const heddle_executor *threads : {static_cast<heddle_executor *>(nullptr), executor, three}) {
        currentCall = call + (atEnd ? ", memory before" : ", memory after") +
                      " guard pages, threads: " + std::to_string(threads ? threads->threads : 1) + "\n";
        Bytes results = callGuarded(session, sizes, *inputs, threads, atEnd);
        if (first.empty())
          first = results;
        if (status == HEDDLE_OK)
          EXPECT_EQ(first, results) << "the results differ from those of the first call: " << currentCall;
      }
  }

  /// Calls the library once, with all memory directly before a guard page if `atEnd` is true, otherwise directly after
  /// one. Returns the outputs.
  Bytes callGuarded(Session &session, llvm::ArrayRef<size_t> sizes, llvm::ArrayRef<Tensor> tensors,
                    const heddle_executor *threads, bool atEnd) {
    const heddle_model &library = session.model();
    std::vector<GuardedBytes> in, out;
    std::vector<const void *> inputs;
    std::vector<void *> outputs;
    for (const Tensor &tensor : tensors)
      inputs.push_back(in.emplace_back(tensor.toBytes(), atEnd).data());
    for (uint64_t i = 0; i < library.output_count; ++i) {
      outputs.push_back(out.emplace_back(session.bytesOf(library.outputs[i]), atEnd).data());
      memset(outputs[i], 0xee, out[i].size);
    }
    GuardedBytes held(weights, atEnd), arena(library.arena_size(sizes.data(), threads ? threads->threads : 1), atEnd);
    memset(arena.data(), 0xff, arena.size);
    uint64_t state[4];
    EXPECT_EQ(library.init(state, nullptr, held.data(), held.size), HEDDLE_OK);
    EXPECT_EQ(library.run(state, sizes.data(), inputs.data(), outputs.data(), arena.data(), arena.size, threads), status);
    Bytes results;
    for (const GuardedBytes &output : out)
      results.emplace_back(output.data(), output.data() + output.size);
    return results;
  }

  /// Checks that a call with a size out of range is refused and accesses none of its arguments.
  void checkOutOfRange(const heddle_model &library) {
    GuardedBytes none(0, true), held(weights, true);
    std::vector<const void *> inputs(library.input_count, none.data());
    std::vector<void *> outputs(library.output_count, none.data());
    uint64_t state[4];
    ASSERT_EQ(library.init(state, nullptr, held.data(), held.size), HEDDLE_OK);
    for (auto [i, range] : llvm::enumerate(ranges))
      for (size_t size : {size_t(range.low - 1), size_t(range.high + 1), SIZE_MAX}) {
        std::vector<size_t> sizes;
        for (const SizeRange &other : ranges)
          sizes.push_back(other.low);
        sizes[i] = size;
        currentCall = names[i] + "=" + std::to_string(size) + ", which is out of range\n";
        EXPECT_EQ(library.run(state, sizes.data(), inputs.data(), outputs.data(), none.data(), 1 << 30, executor),
                  HEDDLE_INVALID_ARGUMENT);
      }
  }

  heddle_executor *three = heddle_executor_create(3); // has three threads
  std::vector<char> weights;                          // the weights of the library that is tested

protected:
  std::function<void(llvm::MutableArrayRef<Tensor>)> change; // modifies the inputs of each call; may be null
  heddle_status status = HEDDLE_OK;                          // the status that each call must return
};

TEST_P(GuardPages, Operations) { check(operationsOf(in::Guarded)[GetParam()], GetParam()); }
INSTANTIATE_OPERATIONS(GuardPages, Guarded);

TEST_F(GuardPages, Encoder) {
  ImportOptions options;
  options.ranges = {{"batch_size", 1, 3}, {"sequence_length", 1, 20}};
  check(HEDDLE_TEST_DATA "/../data/huggingface/tiny-bert", 1, options);
}

/// The model computes indices from a mask. The elements of the mask are zeros and ones, or only zeros; or all of them
/// are a number for which some index is out of range, and then calls must fail.
TEST_F(GuardPages, ComputedIndices) {
  ImportOptions options;
  options.ranges = {{"batch_size", 1, 3}, {"sequence_length", 1, 20}};
  const char *model = HEDDLE_TEST_DATA "/../data/lookups/last-token/model.onnx";
  auto fill = [&](int64_t number) {
    return [=](llvm::MutableArrayRef<Tensor> inputs) { llvm::fill(inputs[1].mutableInts(), number); };
  };
  check(model, 0, options);
  change = fill(0);
  check(model, 1, options);
  status = HEDDLE_INDEX_OUT_OF_RANGE;
  for (int64_t number : {int64_t(1) << 40, -(int64_t(1) << 40), INT64_MAX}) {
    change = fill(number);
    check(model, 2, options);
  }
}

TEST_F(GuardPages, KernelsWithoutALayer) {
  ImportOptions options;
  options.ranges = {{"b", 1, 5}, {"s", 1, 130}};
  unsigned turn = 0;
  for (const char *name : {"sums", "softmax", "contractions", "numbers", "norm"})
    check(std::string(HEDDLE_TEST_DATA "/../data/sizes/") + name + ".mlir", turn++, options);
}

} // namespace

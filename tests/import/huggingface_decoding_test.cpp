//===- huggingface_decoding_test.cpp - decoders with states ---------------===//
//
// A decoder with states keeps keys and values of earlier tokens between calls. The interpreter's results are compared
// with tests/data/huggingface/*/decoding.safetensors, which make_decoding.py wrote. This script computes the results in
// f64 with the cache of transformers, one token after another.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "ModelDirectories.h"
#include "Reference.h"
#include "TempDir.h"

#include "heddle/Safetensors.h"

#include "Notes.h"

#include "llvm/Support/Path.h"

#include <fstream>

using namespace heddle;
using namespace mlir;

namespace {

constexpr int64_t batch = 3, capacity = 32; // the numbers of sequences, and of rows for which a state has room
using Tensors = std::map<std::string, Tensor>;

struct HuggingFaceDecoding : testing::TestWithParam<std::string> {
  TestContext context;
  TempDir dir;
  Tensors states;                  // the contents of the states after the last call, by name
  std::map<int64_t, Model> models; // the imported models, by the number of new tokens in a call

  HuggingFaceDecoding() {
    DialectRegistry registry;
    registerInterpreter(registry);
    context.appendDialectRegistry(registry);
  }

  /// Imports the model in the directory `path` for calls with `sequence` new tokens for each sequence. If `decoder`,
  /// the model has states of the capacity `room`.
  FailureOr<Model> import(const std::string &path, int64_t sequence, bool decoder, int64_t room = capacity) {
    ImportOptions options;
    options.decoder = decoder;
    options.dims = {{"batch_size", batch}, {"sequence_length", sequence}};
    if (decoder) {
      options.dims["capacity"] = room;
      options.outputs = {"logits", "all_logits", "next_token"};
    }
    return importModel(context, path, options);
  }

  Tensor ints(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
    return Tensor(shape, IntegerType::get(&context, 64), values.vec());
  }

  /// Calls the model with `sequence` new tokens for each sequence, and updates `states`, which contain NaNs before the
  /// first call. `past` contains the number of earlier tokens of each sequence, and `last` the index of the last valid
  /// token among the new tokens of each sequence.
  Tensors call(const std::string &folder, int64_t sequence, ArrayRef<int64_t> ids, ArrayRef<int64_t> past,
               ArrayRef<int64_t> last = {}) {
    auto found = models.find(sequence);
    if (found == models.end()) {
      FailureOr<Model> model = import(folder, sequence, /*decoder=*/true);
      EXPECT_TRUE(succeeded(model)) << context.take();
      found = models.emplace(sequence, std::move(*model)).first;
    }
    auto main = found->second.module->lookupSymbol<func::FuncOp>("main");
    Tensors inputs = {{"input_ids", ints({batch, sequence}, ids)}, {"past", ints({batch}, past)}};
    if (!last.empty())
      inputs["last"] = ints({batch}, last);
    unsigned count = 0;
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (auto name = notes::state.get(main, i)) {
        auto type = cast<RankedTensorType>(main.getArgumentTypes()[i]);
        Tensor unfilled = Tensor::uninitialized(type.getShape(), type.getElementType());
        inputs.insert({name->str(), states.try_emplace(name->str(), unfilled).first->second});
        ++count;
      }
    EXPECT_GE(count, 4u);
    auto results = tryReference(found->second, inputs);
    EXPECT_TRUE(succeeded(results)) << context.take();
    if (failed(results))
      return {};
    for (auto &[name, state] : states)
      state = results->at(name);
    return *results;
  }

  /// The contents of decoding.safetensors in the folder of a model: the prompts [batch, longest] and their lengths
  /// [batch]; for each step, the new token of each sequence and the number of its earlier tokens (`past`), both [batch,
  /// steps]; and the logits after the prompts and after each step, [batch, steps + 1, vocabulary].
  struct Expected {
    std::vector<int64_t> prompts, lengths, tokens, past;
    std::vector<double> logits;
    int64_t steps = 0, longest = 0, vocabulary = 0;

    double logit(int64_t row, int64_t step, int64_t word) const {
      return logits[(row * (steps + 1) + step) * vocabulary + word];
    }
    /// Returns the column `step` of `all` [batch, steps].
    std::vector<int64_t> ofStep(const std::vector<int64_t> &all, int64_t step) const {
      std::vector<int64_t> some;
      for (int64_t row = 0; row < batch; ++row)
        some.push_back(all[row * steps + step]);
      return some;
    }
  };

  Expected read(const std::string &folder) {
    WeightStore store;
    Expected expected;
    EXPECT_TRUE(succeeded(readSafetensors(context, folder + "/decoding.safetensors", store))) << context.take();
    auto tensor = [&](StringRef name) {
      const StoredTensor *stored = store.find(name);
      return *Tensor::fromBytes(stored->type.getShape(), stored->type.getElementType(), stored->bytes);
    };
    for (auto [name, into] : {std::pair("prompts", &expected.prompts), std::pair("lengths", &expected.lengths),
                              std::pair("tokens", &expected.tokens), std::pair("past", &expected.past)})
      *into = tensor(name).ints().vec();
    expected.logits = tensor("logits").floats().vec();
    expected.longest = expected.prompts.size() / batch;
    expected.steps = expected.tokens.size() / batch;
    expected.vocabulary = expected.logits.size() / batch / (expected.steps + 1);
    EXPECT_EQ(expected.steps, 30);
    return expected;
  }

  /// Returns the largest difference between the logits of a call and the expected logits after `step` tokens.
  static double errorOf(const Tensors &results, const Expected &expected, int64_t step) {
    double error = 0;
    for (int64_t row = 0; row < batch; ++row)
      for (int64_t word = 0; word < expected.vocabulary; ++word) {
        double difference =
            results.at("logits").floats()[row * expected.vocabulary + word] - expected.logit(row, step, word);
        error = std::isnan(error) || std::abs(difference) <= error ? error : std::abs(difference);
      }
    return error;
  }
};

/// Returns the names of the directories with a decoding.safetensors.
std::vector<std::string> decoders() {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(modelDirectories, error), end; it != end && !error; it.increment(error))
    if (llvm::sys::fs::exists(it->path() + "/decoding.safetensors"))
      names.push_back(llvm::sys::path::filename(it->path()).str());
  llvm::sort(names);
  return names;
}

/// The first call processes prompts of different lengths. Then each call gets the tokens that the previous call
/// predicted. Before one of the calls, however, the sequences are rewound to fewer earlier tokens, and this call gets
/// other tokens.
TEST_P(HuggingFaceDecoding, LogitsAndTokensEqualThoseOfTransformers) {
  const std::string folder = modelDirectories + GetParam();
  Expected expected = read(folder);
  std::vector<int64_t> last;
  for (int64_t length : expected.lengths)
    last.push_back(length - 1);
  Tensors results = call(folder, expected.longest, expected.prompts, {0, 0, 0}, last);
  ASSERT_FALSE(results.empty());
  EXPECT_LE(errorOf(results, expected, 0), 5e-6);
  std::vector<int64_t> rows = expected.lengths;
  bool isRewound = false;
  for (int64_t step = 0; step < expected.steps; ++step) {
    std::vector<int64_t> past = expected.ofStep(expected.past, step), tokens = results.at("next_token").ints().vec();
    if (past != rows) {
      ASSERT_FALSE(std::exchange(isRewound, true));
      tokens = expected.ofStep(expected.tokens, step);
    }
    ASSERT_EQ(tokens, expected.ofStep(expected.tokens, step)) << step;
    results = call(folder, 1, tokens, past);
    ASSERT_FALSE(results.empty());
    EXPECT_LE(errorOf(results, expected, step + 1), 5e-6) << step;
    rows = past;
    for (int64_t &row : rows)
      ++row;
  }
  EXPECT_TRUE(isRewound);
}

/// Processes 12 tokens of each sequence in one call, and then in two calls of 7 tokens. In the first of these two
/// calls, the sequences have different numbers of valid tokens; the second call overwrites the rows of the invalid
/// tokens. The results of both ways must be equal to each other, and to those of a model without states.
TEST_P(HuggingFaceDecoding, ResultsOfChunksEqualThoseOfOneCall) {
  const std::string folder = modelDirectories + GetParam();
  Expected expected = read(folder);
  // The number of tokens of each sequence.
  constexpr int64_t count = 12;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < batch * count; ++i)
    ids.push_back(expected.prompts[i % expected.prompts.size()]);
  Tensors whole = call(folder, count, ids, {0, 0, 0});
  ASSERT_FALSE(whole.empty());
  states.clear();
  const int64_t first[] = {5, 7, 2}; // the number of valid tokens of each sequence in the first of two calls
  std::vector<int64_t> parts[2];
  for (int64_t row = 0; row < batch; ++row)
    for (int64_t i = 0; i < 7; ++i)
      parts[0].push_back(ids[row * count + i]);
  Tensors some = call(folder, 7, parts[0], {0, 0, 0}, {4, 6, 1});
  ASSERT_FALSE(some.empty());
  int64_t words = expected.vocabulary;
  ArrayRef<double> all = whole.at("all_logits").floats();
  auto near = [&](ArrayRef<double> logits, int64_t row, int64_t at) {
    for (int64_t word = 0; word < words; ++word)
      EXPECT_NEAR(logits[word], all[(row * count + at) * words + word], 1e-9) << row << " " << at;
  };
  for (int64_t row = 0; row < batch; ++row)
    near(some.at("logits").floats().slice(row * words, words), row, first[row] - 1);
  for (int64_t row = 0; row < batch; ++row)
    for (int64_t i = 0; i < 7; ++i)
      parts[1].push_back(ids[row * count + std::min(first[row] + i, count - 1)]);
  Tensors others = call(folder, 7, parts[1], {5, 7, 2});
  ASSERT_FALSE(others.empty());
  for (int64_t row = 0; row < batch; ++row)
    for (int64_t i = 0; first[row] + i < count && i < 7; ++i)
      near(others.at("all_logits").floats().slice((row * 7 + i) * words, words), row, first[row] + i);

  FailureOr<Model> plain = import(folder, count, /*decoder=*/false);
  ASSERT_TRUE(succeeded(plain)) << context.take();
  auto results = tryReference(*plain, Tensors{{"input_ids", ints({batch, count}, ids)}});
  ASSERT_TRUE(succeeded(results)) << context.take();
  for (auto [a, b] : llvm::zip_equal(results->at("logits").floats(), all))
    EXPECT_NEAR(a, b, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Families, HuggingFaceDecoding, testing::ValuesIn(decoders()), [](const auto &info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
});

struct HuggingFaceDecodingErrors : HuggingFaceDecoding {
  /// Returns the errors of the import of a directory of the tests, which must fail.
  std::string error(const std::string &name, int64_t sequence = 1, int64_t room = capacity) {
    EXPECT_TRUE(failed(import(modelDirectories + name, sequence, /*decoder=*/true, room)));
    return context.take();
  }
  /// Writes the model with the rope parameters `name` to `dir`, as a model that predicts tokens.
  void writeRotary(const std::string &name) {
    std::ifstream file(modelDirectories + "rotary/" + name + "/config.json");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    size_t at = text.find("LlamaModel");
    EXPECT_NE(at, std::string::npos);
    dir.write("config.json", text.replace(at, 10, "LlamaForCausalLM"));
    llvm::sys::fs::copy_file(modelDirectories + "rotary/model.safetensors", dir.file("model.safetensors"));
  }
  /// Imports the model that writeRotary(name) writes, with a state of the capacity `room`. Returns the errors, or "" if
  /// the import succeeds.
  std::string errorOfRotary(const std::string &name, int64_t room) {
    writeRotary(name);
    EXPECT_EQ(succeeded(import(dir.file(""), 1, /*decoder=*/true, room)), context.text.empty());
    return context.take();
  }
};

TEST_F(HuggingFaceDecodingErrors, EveryFamilyOfDecodersHasACase) { EXPECT_EQ(decoders().size(), 12u); }

TEST_F(HuggingFaceDecodingErrors, ModelsThatDoNotPredictTheNextTokenAreRefused) {
  EXPECT_EQ(error("tiny-bert"), "--decoder: the model is not a decoder\n");
  EXPECT_EQ(
      error("tiny-gpt2-model"),
      "--decoder: the model has no head that predicts the next token (expected ...ForCausalLM in architectures)\n");
  EXPECT_EQ(error("tiny-llama-classifier"), error("tiny-gpt2-model"));
  EXPECT_EQ(error("tiny-gemma3-bidirectional"),
            "--decoder: each token attends to later tokens, so keys and values cannot be kept between calls\n");
}

TEST_F(HuggingFaceDecodingErrors, CapacitiesBeyondThePositionsOfTheModelAreRefused) {
  EXPECT_EQ(error("tiny-gpt2", 1, 33), "capacity: the model has positions for 1 to 32 tokens, found 33\n");
  EXPECT_EQ(error("tiny-gemma3", 1, 65), "capacity: the model has positions for 1 to 64 tokens, found 65\n");
  EXPECT_EQ(error("tiny-llama", 33, 32), "sequence_length: expected at most 32, the capacity of the state, found 33\n");
}

/// Keys in a state were rotated in an earlier call, by the angles of that call, so these angles must not change later.
TEST_F(HuggingFaceDecodingErrors, CapacitiesAtWhichAnglesChangeAreRefused) {
  EXPECT_EQ(errorOfRotary("dynamic-short", 64), "");
  EXPECT_EQ(errorOfRotary("longrope-long", 16), "");
  EXPECT_EQ(
      errorOfRotary("longrope-long", 17),
      "rope_parameters: with longrope the angles change after 16 tokens, and keys in a state keep their rotation: "
      "expected a capacity of at most 16, found 17\n");
}

/// If the user gives no sizes, the default range of `capacity` ends at the last length before the angles change, which
/// is 16 here.
TEST_F(HuggingFaceDecodingErrors, DefaultSizesAreValid) {
  writeRotary("longrope-long");
  ImportOptions options;
  options.decoder = true;
  ImportResult result = importModel(context, dir.file(""), options);
  ASSERT_TRUE(failed(result));
  std::map<std::string, std::string> fallbacks;
  for (const OpenDim &dim : result.openDims)
    fallbacks[dim.name] = dim.fallback;
  EXPECT_EQ(fallbacks, (std::map<std::string, std::string>{
                           {"batch_size", "1"}, {"sequence_length", "1,2..16"}, {"capacity", "1..16"}}));
  context.take();
}

} // namespace

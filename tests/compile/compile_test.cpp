//===- compile_test.cpp - small modules compiled, loaded and called -------===//

#include "heddle/Compile.h"
#include "heddle/Pipeline.h"
#include "heddle/Registry.h"
#include "heddle/Session.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

#include <climits>
#include <cmath>
#include <thread>

using namespace mlir;
using namespace heddle;

namespace {

struct CompileTest : testing::Test {
  CompileTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Compiles the module `text`. All elements of its weight "w" [4,37] are 0.5.
  FailureOr<CompiledModel> compile(StringRef text, CompileOptions options = {}) {
    Model model;
    model.module = parseSourceString<ModuleOp>(text, &context);
    std::vector<float> weight(4 * 37, 0.5f);
    const char *bytes = reinterpret_cast<const char *>(weight.data());
    model.weights.add("w", RankedTensorType::get({4, 37}, Float32Type::get(&context)),
                      std::vector<char>(bytes, bytes + weight.size() * sizeof(float)));
    return compileModel(std::move(model), options);
  }

  MLIRContext context;
};

// Divides select(m, exp(x + w), x) by the sums of its rows, and returns the quotient and the sums.
const char *text = R"(
func.func @main(%x: tensor<4x37xf32> {heddle.name = "x"},
                %m: tensor<4x37xi1> {heddle.name = "m", heddle.default = 1 : i64})
    -> (tensor<4x37xf32> {heddle.name = "y"}, tensor<4xf32> {heddle.name = "sum"}) {
  %w = heddle.weight "w" : tensor<4x37xf32>
  %0 = arith.addf %x, %w : tensor<4x37xf32>
  %1 = math.exp %0 : tensor<4x37xf32>
  %2 = arith.select %m, %1, %x : tensor<4x37xi1>, tensor<4x37xf32>
  %e = tensor.empty() : tensor<4xf32>
  %c = arith.constant 0.0 : f32
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce ins(%2 : tensor<4x37xf32>) outs(%f : tensor<4xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  %e2 = tensor.empty() : tensor<4x37xf32>
  %bc = linalg.broadcast ins(%r : tensor<4xf32>) outs(%e2 : tensor<4x37xf32>) dimensions = [1]
  %o = arith.divf %2, %bc : tensor<4x37xf32>
  return %o, %r : tensor<4x37xf32>, tensor<4xf32>
})";

TEST_F(CompileTest, RunsWithOptionalArguments) {
  for (bool embed : {false, true}) {
    CompileOptions options;
    options.name = "small";
    options.embedWeights = embed;
    auto compiled = compile(text, options);
    ASSERT_TRUE(succeeded(compiled));
    auto session = Session::fromObject(std::move(compiled->object), "small",
                                       embed ? ArrayRef<char>() : ArrayRef<char>(compiled->weights));
    ASSERT_TRUE(bool(session)) << llvm::toString(session.takeError());
    const heddle_model &model = (*session)->model();
    EXPECT_EQ(model.input_count, 2u);
    EXPECT_EQ(model.output_count, 2u);
    EXPECT_STREQ(model.inputs[1].name, "m");
    EXPECT_EQ(model.inputs[1].type, uint32_t(HEDDLE_BOOL));
    EXPECT_EQ(model.inputs[1].default_value, 1);
    EXPECT_GT(compiled->stackSize, 0u);
    EXPECT_EQ(model.stack_size, compiled->stackSize); // the object file contains the stack size
    EXPECT_LT(model.stack_size, 1u << 20);

    std::vector<float> x(4 * 37), y(4 * 37), sum(4);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = 0.01f * float(i);
    llvm::Error error = (*session)->run({x.data(), nullptr}, {y.data(), sum.data()});
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
    for (int row = 0; row < 4; ++row) {
      double expected = 0;
      for (int i = 0; i < 37; ++i)
        expected += std::exp(double(x[row * 37 + i]) + 0.5);
      EXPECT_NEAR(sum[row], expected, 1e-5 * expected);
      EXPECT_NEAR(y[row * 37 + 5], std::exp(x[row * 37 + 5] + 0.5) / expected, 1e-6);
    }
    // The caller passes a null pointer for an output that it does not need.
    std::vector<float> again(4 * 37);
    ASSERT_FALSE(bool((*session)->run({x.data(), nullptr}, {again.data(), nullptr})));
    EXPECT_EQ(y, again);
  }
}

TEST_F(CompileTest, RefusesBadArguments) {
  auto compiled = compile(text);
  ASSERT_TRUE(succeeded(compiled));
  auto session = Session::fromObject(std::move(compiled->object), "model", compiled->weights);
  ASSERT_TRUE(bool(session)) << llvm::toString(session.takeError());
  const heddle_model &model = (*session)->model();
  std::vector<float> x(4 * 37), y(4 * 37);
  std::vector<char> arena(model.arena_size(nullptr, 1));
  uint64_t state[4];
  ASSERT_EQ(model.init(state, nullptr, compiled->weights.data(), compiled->weights.size()), HEDDLE_OK);
  auto run = [&](const void *in, void *out, void *memory, size_t size) {
    const void *inputs[] = {in, nullptr};
    void *outputs[] = {out, nullptr};
    return model.run(state, nullptr, inputs, outputs, memory, size, nullptr);
  };
  EXPECT_EQ(run(x.data(), y.data(), arena.data(), arena.size()), HEDDLE_OK);
  EXPECT_EQ(run(nullptr, y.data(), arena.data(), arena.size()), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(run(reinterpret_cast<char *>(x.data()) + 1, y.data(), arena.data(), arena.size()),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(run(x.data(), y.data(), nullptr, arena.size()), HEDDLE_INVALID_ARGUMENT);
  // An arena that is too small is refused even at an aligned address, at which no bytes are lost to alignment.
  alignas(64) static char aligned[1 << 16];
  ASSERT_LE(arena.size(), sizeof aligned);
  EXPECT_EQ(run(x.data(), y.data(), aligned, arena.size()), HEDDLE_OK);
  for (size_t missing : {1, 63, 64})
    EXPECT_EQ(run(x.data(), y.data(), aligned, arena.size() - missing), HEDDLE_ARENA_TOO_SMALL) << missing;
  EXPECT_EQ(run(x.data(), y.data(), aligned, 0), HEDDLE_ARENA_TOO_SMALL);
  uint64_t blank[4] = {};
  const void *inputs[] = {x.data(), nullptr};
  void *outputs[] = {y.data(), nullptr};
  EXPECT_EQ(model.run(blank, nullptr, inputs, outputs, arena.data(), arena.size(), nullptr), HEDDLE_INVALID_ARGUMENT);

  // init() refuses weights of another size, altered weights, and missing weights.
  std::vector<char> weights = compiled->weights;
  EXPECT_EQ(model.init(state, nullptr, weights.data(), weights.size() - 1), HEDDLE_INVALID_WEIGHTS);
  weights.back() ^= 1;
  EXPECT_EQ(model.init(state, nullptr, weights.data(), weights.size()), HEDDLE_INVALID_WEIGHTS);
  EXPECT_EQ(model.init(state, nullptr, nullptr, 0), HEDDLE_INVALID_WEIGHTS);
}

TEST_F(CompileTest, ChecksIndices) {
  auto compiled = compile(R"(
    func.func @main(%i: tensor<3xi64> {heddle.name = "i", heddle.range = array<i64: 0, 36>})
        -> (tensor<3xf32> {heddle.name = "y"}) {
      %w = heddle.weight "w" : tensor<4x37xf32>
      %c1 = arith.constant 1 : index
      %e = tensor.empty() : tensor<3xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                           iterator_types = ["parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3xf32>) {
      ^bb0(%in: i64, %out: f32):
        %k = arith.index_cast %in : i64 to index
        %v = tensor.extract %w[%c1, %k] : tensor<4x37xf32>
        linalg.yield %v : f32
      } -> tensor<3xf32>
      return %y : tensor<3xf32>
    })");
  ASSERT_TRUE(succeeded(compiled));
  auto session = Session::fromObject(std::move(compiled->object), "model", compiled->weights);
  ASSERT_TRUE(bool(session)) << llvm::toString(session.takeError());
  std::vector<float> y(3);
  std::vector<int64_t> good{0, 36, 5}, high{0, 37, 5}, low{-1, 0, 0};
  EXPECT_FALSE(bool((*session)->run({good.data()}, {y.data()})));
  EXPECT_EQ(y, std::vector<float>(3, 0.5f));
  for (std::vector<int64_t> *bad : {&high, &low})
    EXPECT_EQ(llvm::toString((*session)->run({bad->data()}, {y.data()})),
              "model: an index, given or computed, is outside its range");
}

/// Runs every task on a new thread; the function of a heddle_executor.
heddle_status runOnThreads(void *, size_t count, void (*task)(void *, size_t), void *data) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back(task, data, i);
  for (std::thread &thread : threads)
    thread.join();
  return HEDDLE_OK;
}

/// An executor that runs all tasks in its first `good` calls. Each later call runs only the last task and returns
/// `status`.
struct FailingExecutor {
  int calls = 0, good;
  heddle_status status;

  static heddle_status run(void *self, size_t count, void (*task)(void *, size_t), void *data) {
    auto &executor = *static_cast<FailingExecutor *>(self);
    if (executor.calls++ < executor.good)
      return runOnThreads(nullptr, count, task, data);
    task(data, count - 1);
    return executor.status;
  }
};

TEST_F(CompileTest, AStageThatLosesTheRangeOfAnInputFails) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      R"(func.func @main(%i: tensor<3xi64> {heddle.range = array<i64: 0, 36>}) -> tensor<3xi64> {
           %0 = arith.addi %i, %i : tensor<3xi64>
           return %0 : tensor<3xi64>
         })", &context);
  OwningOpRef<ModuleOp> copy = module->clone();
  EXPECT_TRUE(succeeded(runStages(*copy, Stage::Import, Stage::Kernels, {})));
  PipelineOptions options;
  options.afterStage = [](Stage stage, ModuleOp module) { // simulates a pass that drops the annotation
    if (stage == Stage::Recognise)
      module.lookupSymbol<func::FuncOp>("main").setArgAttrsAttr(ArrayAttr());
    return success();
  };
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { error += diagnostic.str(); });
  EXPECT_TRUE(failed(runStages(*module, Stage::Import, Stage::Kernels, options)));
  EXPECT_EQ(error, "stage fuse loses an annotation of @main: heddle.range");
}

TEST_F(CompileTest, ExecutorsRunTasksWithScratchOfTheirOwn) {
  CompileOptions options;
  options.from = Stage::Vectorize;
  auto compiled = compile(R"(
    func.func @main(%x: tensor<640x32xf32> {bufferization.writable = false, heddle.name = "x"})
        -> (tensor<640x32xf32> {heddle.name = "y"}) {
      %e = tensor.empty() : tensor<640x32xf32>
      %s = call @k0(%x, %e) : (tensor<640x32xf32>, tensor<640x32xf32>) -> tensor<640x32xf32>
      %f = tensor.empty() : tensor<640x32xf32>
      %r = call @k0(%s, %f) : (tensor<640x32xf32>, tensor<640x32xf32>) -> tensor<640x32xf32>
      return %r : tensor<640x32xf32>
    }
    func.func private @k0(%x: tensor<640x32xf32> {bufferization.writable = false},
        %o: tensor<640x32xf32> {bufferization.writable = true}) -> tensor<640x32xf32> attributes {heddle.kernel} {
      %e = tensor.empty() : tensor<640x32xf32>
      %r = scf.forall (%i) = (0) to (640) step (2) shared_outs(%out = %e) -> tensor<640x32xf32> {
        %s = tensor.extract_slice %x[%i, 0] [2, 32] [1, 1] : tensor<640x32xf32> to tensor<2x32xf32>
        %t = tensor.empty() : tensor<2x32xf32>
        %a = linalg.exp ins(%s : tensor<2x32xf32>) outs(%t : tensor<2x32xf32>) -> tensor<2x32xf32>
        %t2 = tensor.extract_slice %out[%i, 0] [2, 32] [1, 1] : tensor<640x32xf32> to tensor<2x32xf32>
        %c = linalg.add ins(%a, %s : tensor<2x32xf32>, tensor<2x32xf32>) outs(%t2 : tensor<2x32xf32>)
          -> tensor<2x32xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %c into %out[%i, 0] [2, 32] [1, 1] : tensor<2x32xf32> into tensor<640x32xf32>
        }
      }
      return %r : tensor<640x32xf32>
    })",
                          options);
  ASSERT_TRUE(succeeded(compiled));
  EXPECT_EQ(compiled->workerSize, 256u);
  auto session = Session::fromObject(std::move(compiled->object), "model");
  ASSERT_TRUE(bool(session)) << llvm::toString(session.takeError());
  auto arenaSize = (*session)->model().arena_size;
  EXPECT_EQ(arenaSize(nullptr, 3), arenaSize(nullptr, 1) + 2 * 256);
  size_t shared = arenaSize(nullptr, 1) - 256, maximum = (SIZE_MAX - shared) / 256;
  EXPECT_EQ(arenaSize(nullptr, maximum), shared + maximum * 256);
  EXPECT_EQ(arenaSize(nullptr, maximum + 1), SIZE_MAX);
  EXPECT_EQ(arenaSize(nullptr, SIZE_MAX), SIZE_MAX);

  std::vector<float> x(640 * 32), alone(640 * 32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 0.0001f * float(i);
  ASSERT_FALSE(bool((*session)->run({x.data()}, {alone.data()})));
  float once = std::exp(x[20479]) + x[20479];
  EXPECT_NEAR(alone[20479], std::exp(once) + once, 1e-5 * alone[20479]);
  for (size_t threads : {1, 2, 3, 64}) {
    heddle_executor executor{nullptr, threads, runOnThreads};
    std::vector<float> shared(640 * 32);
    ASSERT_FALSE(bool((*session)->run({x.data()}, {shared.data()}, &executor)));
    EXPECT_EQ(alone, shared) << threads << " threads";
  }

  // A call returns the status of an executor that fails, and completes its tasks. The executor fails in its call with
  // index `first`; the model's call then runs the remaining tasks itself.
  const heddle_model &model = (*session)->model();
  std::vector<char> arena(model.arena_size(nullptr, 2));
  uint64_t state[4];
  ASSERT_EQ(model.init(state, nullptr, nullptr, 0), HEDDLE_OK);
  for (int first : {0, 1})
    for (heddle_status status : {HEDDLE_EXECUTOR_FAILED, HEDDLE_INVALID_ARGUMENT}) {
      FailingExecutor failing{0, first, status};
      heddle_executor executor{&failing, 2, FailingExecutor::run};
      std::vector<float> y(x.size());
      const void *inputs[] = {x.data()};
      void *outputs[] = {y.data()};
      EXPECT_EQ(model.run(state, nullptr, inputs, outputs, arena.data(), arena.size(), &executor), status) << first;
      EXPECT_EQ(failing.calls, first + 1); // the executor is not called again
      EXPECT_EQ(y, alone);
    }
}

TEST_F(CompileTest, RefusesToRunWithoutCompiledFeatures) {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  for (const char *feature : {"avxvnni", "avx512bf16", "avx512vbmi2", "avx512f"}) {
    if (host.lookup(feature))
      continue;
    CompileOptions options;
    options.target.attributes = std::string("+") + feature;
    auto compiled = compile(text, options);
    ASSERT_TRUE(succeeded(compiled));
    auto session = Session::fromObject(std::move(compiled->object), "model", compiled->weights);
    EXPECT_EQ(llvm::toString(session.takeError()),
              "model: this CPU lacks features that the code was compiled for");
    return;
  }
  GTEST_SKIP() << "this CPU has every feature that could be missing";
}

TEST_F(CompileTest, RefusesUnknownCpu) {
  CompileOptions options;
  options.target.cpu = "pentagon";
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(compile(text, options)));
  EXPECT_NE(message.find("--mcpu: unknown CPU pentagon"), std::string::npos) << message;
}

TEST_F(CompileTest, HeaderDeclaresInputsOutputsAndFunctions) {
  CompileOptions options;
  options.name = "small";
  auto compiled = compile(text, options);
  ASSERT_TRUE(succeeded(compiled));
  for (const char *line :
       {"const float *x;", "const uint8_t *m;", "optional, default: ones", "float *sum;",
        "enum heddle_status small_init(struct small *model, const void *weights, size_t weights_size);",
        "size_t small_arena_size(size_t threads);"})
    EXPECT_NE(compiled->header.find(line), std::string::npos) << line << "\n" << compiled->header;
}

} // namespace

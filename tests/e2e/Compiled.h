//===- Compiled.h - compiles and calls a model ------------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_E2E_COMPILED_H
#define HEDDLE_TESTS_E2E_COMPILED_H

#include "heddle/Compile.h"
#include "heddle/Registry.h"
#include "heddle/Session.h"
#include "heddle/Verify.h"
#include "heddle/executor.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

/// Compiles the model for this machine ("native"), or for an older CPU, and loads it. After an error, the test fails
/// and the result is null.
inline std::unique_ptr<heddle::Session> compileHere(heddle::Model model, llvm::StringRef cpu = "native") {
  heddle::CompileOptions options;
  options.target.cpu = cpu.str();
  auto compiled = heddle::compileModel(std::move(model), options);
  if (failed(compiled)) {
    ADD_FAILURE() << "does not compile";
    return nullptr;
  }
  auto session = heddle::Session::fromObject(std::move(compiled->object), "model", std::move(compiled->weights));
  if (!session) {
    ADD_FAILURE() << llvm::toString(session.takeError());
    return nullptr;
  }
  return std::move(*session);
}

/// Calls the model, on one thread if `executor` is null, and returns the raw bytes of every output. Outputs are filled
/// with 0xff before the call, so that unwritten elements are NaN.
inline std::vector<std::vector<char>> callWith(heddle::Session &session, llvm::ArrayRef<heddle::Tensor> inputs,
                                               const heddle_executor *executor) {
  std::vector<std::vector<char>> in, out;
  std::vector<const void *> inPointers;
  std::vector<void *> outPointers;
  for (const heddle::Tensor &input : inputs)
    in.push_back(input.toBytes());
  for (uint64_t i = 0; i < session.model().output_count; ++i)
    out.emplace_back(session.bytesOf(session.model().outputs[i]), char(0xff));
  for (const std::vector<char> &bytes : in)
    inPointers.push_back(bytes.data());
  for (std::vector<char> &bytes : out)
    outPointers.push_back(bytes.data());
  if (llvm::Error error = session.run(inPointers, outPointers, executor))
    ADD_FAILURE() << llvm::toString(std::move(error));
  return out;
}

/// Expects that the difference between every output and the reference is within the bound, as `heddle verify` does.
/// `names` are the names of the outputs, for messages.
inline void expectRight(llvm::ArrayRef<std::vector<char>> outputs, llvm::ArrayRef<std::string> names,
                        const heddle::Reference &reference) {
  ASSERT_EQ(outputs.size(), reference.wide.size());
  for (auto [i, bytes] : llvm::enumerate(outputs)) {
    const heddle::Tensor &wide = reference.wide[i];
    auto actual = heddle::Tensor::fromBytes(wide.shape(), wide.elementType(), bytes);
    ASSERT_TRUE(succeeded(actual));
    heddle::Comparison comparison = heddle::compare(names[i], *actual, wide, reference.narrow[i]);
    EXPECT_TRUE(comparison.ok) << comparison.text();
  }
}

/// Compiles and verifies quoted operations. The parameter is the number of a case or of a group of cases, so that ctest
/// can run them in parallel.
struct QuotedOperations : testing::TestWithParam<unsigned> {
  /// A function that makes inputs for the given @main.
  using Inputs = llvm::function_ref<llvm::SmallVector<heddle::Tensor>(mlir::func::FuncOp)>;

  QuotedOperations() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    heddle::registerDialects(registry);
    context.appendDialectRegistry(registry);
    heddle::loadImportDialects(context);
    executor = heddle_executor_create(2);
    EXPECT_TRUE(executor);
  }
  ~QuotedOperations() override { heddle_executor_destroy(executor); }

  /// Compiles the model and loads it. After an error, the test fails and the result is null.
  virtual std::unique_ptr<heddle::Session> compileAndLoad(heddle::Model model) { return compileHere(std::move(model), cpu); }

  /// Checks that results are within the bound and, if `isCalledTwice`, have the same bits in a second call on two
  /// threads.
  void check(llvm::StringRef operation, Inputs makeInputs) {
    SCOPED_TRACE("'" + operation.str() + "'");
    auto model = heddle::importModel(context, operation);
    ASSERT_TRUE(succeeded(model));
    auto main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
    auto inputs = makeInputs(main);
    auto reference = heddle::computeReference(main, inputs, heddle::weightsFrom(model->weights));
    ASSERT_TRUE(succeeded(reference));
    std::vector<std::string> names;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      names.push_back(heddle::resultName(main, i));

    std::unique_ptr<heddle::Session> session = compileAndLoad(std::move(*model));
    ASSERT_TRUE(session);
    auto alone = callWith(*session, inputs, nullptr);
    expectRight(alone, names, *reference);
    if (isCalledTwice)
      EXPECT_EQ(alone, callWith(*session, inputs, executor)) << "a second call, on two threads, returns other bits";
  }

  mlir::MLIRContext context;
  heddle_executor *executor;  // has two threads
  std::string cpu = "native"; // the CPU that models are compiled for
  heddle::DevicePtr device;   // null for this machine's CPU
  bool isCalledTwice = true;  // whether tests repeat a call on two threads and compare the bits
};

#endif // HEDDLE_TESTS_E2E_COMPILED_H

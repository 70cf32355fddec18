//===- CompiledRange.h - a model with sizes in ranges -----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_E2E_COMPILEDRANGE_H
#define HEDDLE_TESTS_E2E_COMPILEDRANGE_H

#include "Compiled.h"

#include "Notes.h"

/// Compiles quoted operations with sizes in ranges, and verifies them at several combinations of sizes. For each
/// combination, the model is imported again with these sizes, and the interpreter executes it as the reference.
struct QuotedRanges : QuotedOperations {
  using Bytes = std::vector<std::vector<char>>;

  /// Imports and compiles the operation, and loads it. After an error, the test fails and the result is null.
  std::unique_ptr<heddle::Session> compileRange(llvm::StringRef operation) {
    auto imported = heddle::importModel(context, operation);
    EXPECT_TRUE(succeeded(imported));
    if (failed(imported))
      return nullptr;
    model = std::move(*imported);
    keep(model);
    return compileAndLoad(std::move(model));
  }

  /// Stores the parts of an import that importAt needs.
  void keep(const heddle::Model &imported) {
    again = imported.importAgain;
    ranges = *heddle::notes::sizes.get(*imported.module);
    names.clear();
    for (const heddle::SizeRange &range : ranges)
      names.push_back(range.name.str());
  }

  /// Imports the model again with these fixed sizes, one for each of `names`.
  mlir::FailureOr<heddle::Model> importAt(llvm::ArrayRef<size_t> sizes) {
    heddle::SizeOptions options;
    for (auto [name, size] : llvm::zip_equal(names, sizes))
      options.at[name] = int64_t(size);
    return again(options);
  }

  /// Returns the smallest sizes for point 0, the largest sizes for point 1, and sizes between them for other points.
  std::vector<size_t> sizesOf(unsigned point, uint64_t seed) {
    std::vector<size_t> sizes;
    for (auto [number, range] : llvm::enumerate(ranges)) {
      size_t span = range.high - range.low + 1, low = range.low;
      size_t between = (seed * 7 + point * (number + 3) * 13) % span;
      sizes.push_back(point == 0 ? low : point == 1 ? low + span - 1 : low + between);
    }
    return sizes;
  }

  /// Returns the outputs of a call, on one thread if `threads` is null. Checks that the call does not write beyond the
  /// outputs.
  Bytes call(heddle::Session &session, llvm::ArrayRef<size_t> sizes, llvm::ArrayRef<heddle::Tensor> inputs,
             const heddle_executor *threads) {
    session.setSizes(sizes);
    Bytes in, out;
    std::vector<const void *> inPointers;
    std::vector<void *> outPointers;
    for (const heddle::Tensor &input : inputs)
      in.push_back(input.toBytes());
    for (uint64_t i = 0; i < session.model().output_count; ++i)
      out.emplace_back(session.bytesOf(session.model().outputs[i]) + 64, char(0xee));
    for (std::vector<char> &bytes : in)
      inPointers.push_back(bytes.data());
    for (std::vector<char> &bytes : out)
      outPointers.push_back(bytes.data());
    if (llvm::Error error = session.poisonArena(threads))
      ADD_FAILURE() << llvm::toString(std::move(error));
    if (llvm::Error error = session.run(inPointers, outPointers, threads))
      ADD_FAILURE() << llvm::toString(std::move(error));
    for (std::vector<char> &bytes : out) {
      EXPECT_TRUE(llvm::all_of(llvm::ArrayRef(bytes).take_back(64), [](char c) { return c == char(0xee); }));
      bytes.resize(bytes.size() - 64);
    }
    return out;
  }

  /// Checks the results at these sizes for random inputs, whose seed is the first size.
  void checkAt(heddle::Session &session, llvm::ArrayRef<size_t> sizes) {
    checkAt(session, sizes, [&](mlir::func::FuncOp main) { return *heddle::randomInputs(main, sizes.front()); });
  }

  /// Checks that results are within the bound and, if `isCalledTwice`, have the same bits on one and on two threads.
  void checkAt(heddle::Session &session, llvm::ArrayRef<size_t> sizes, Inputs makeInputs) {
    std::string trace;
    for (auto [name, size] : llvm::zip_equal(names, sizes))
      trace += name + "=" + std::to_string(size) + " ";
    SCOPED_TRACE(trace);
    auto fixed = importAt(sizes);
    ASSERT_TRUE(succeeded(fixed));
    auto main = fixed->module->lookupSymbol<mlir::func::FuncOp>("main");
    llvm::SmallVector<heddle::Tensor> inputs = makeInputs(main);
    auto reference = heddle::computeReference(main, inputs, heddle::weightsFrom(fixed->weights));
    ASSERT_TRUE(succeeded(reference));
    Bytes alone = call(session, sizes, inputs, nullptr);
    std::vector<std::string> outputs;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      outputs.push_back(heddle::resultName(main, i));
    expectRight(alone, outputs, *reference);
    if (isCalledTwice)
      EXPECT_EQ(alone, call(session, sizes, inputs, executor)) << "two threads return other bits than one thread";
  }

  heddle::Model model; // the model of compileRange(), which moves it into the compiler
  std::function<mlir::FailureOr<heddle::Model>(const heddle::SizeOptions &)> again; // imports the model again
  heddle::SizeRanges ranges;      // the sizes of the model, in the order of Session::setSizes()
  std::vector<std::string> names; // the names of the sizes in `ranges`
};

#endif // HEDDLE_TESTS_E2E_COMPILEDRANGE_H

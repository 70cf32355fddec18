//===- every_op_test.cpp - ops have references and tests ------------------===//
//
// Compares the definitions of the ops with their code and tests. tests/e2e/every_op_test.cpp verifies that each op can
// be printed, run and compiled.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <set>

using llvm::StringRef;

static const std::string root = HEDDLE_TEST_DATA "/../../";

/// Returns the texts of the files of a folder whose names end with `ending`, by path.
static std::map<std::string, std::string> filesOf(const std::string &folder, StringRef ending) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(root + folder, error), end; it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(ending))
      if (auto buffer = llvm::MemoryBuffer::getFile(it->path()))
        files[it->path()] = (*buffer)->getBuffer().str();
  return files;
}

/// Converts LinearAttention to linear-attention.
static std::string kebab(StringRef name) {
  std::string result;
  for (char c : name) {
    if (llvm::isUpper(c) && !result.empty())
      result += '-';
    result += llvm::toLower(c);
  }
  return result;
}

/// Each op that the interpreter evaluates has a file in dialect/reference with the stem of the .td file that defines
/// it.
TEST(EveryOp, HasAReferenceInTheFileOfItsStem) {
  Runner runner;
  for (auto &[path, text] : filesOf("dialect/ops", ".td")) {
    StringRef stem = llvm::sys::path::stem(path);
    // The interpreter evaluates neither heddle.accesses, which exists only during bufferization, nor heddle.size, which
    // a constant replaces before a module is interpreted, nor heddle.sizes, which exists only in importers.
    // heddle.dispatch has a reference; dispatch_test.cpp tests it.
    if (StringRef(text).contains("def Heddle_") && stem != "Dispatch" && stem != "Accesses" && stem != "Size" && stem != "Sizes")
      EXPECT_TRUE(llvm::sys::fs::exists(root + "dialect/reference/" + stem + ".cpp")) << path;
  }
  for (mlir::RegisteredOperationName op : runner.context.getRegisteredOperations())
    if (op.getDialectNamespace() == "heddle" &&
        !llvm::is_contained({"dispatch", "accesses", "size", "sizes", "yield"}, op.stripDialect()))
      EXPECT_TRUE(op.hasInterface<heddle::EvaluateInterface>()) << op.getStringRef().str();
}

/// Each constraint (C<n>) of a description is the label of a message in the .cpp file of the same stem, and of an error
/// that a lit test expects. Each label in a message is the label of a described constraint.
TEST(EveryOp, ConstraintsAreCheckedAndTested) {
  auto definitions = filesOf("dialect/ops", ".td");
  for (auto &[path, text] : definitions) {
    SCOPED_TRACE(path);
    auto numbers = [](StringRef text, const char *pattern) {
      std::set<std::string> found;
      llvm::SmallVector<StringRef> match;
      for (llvm::Regex regex(pattern); regex.match(text, &match); text = text.substr(match[0].end() - text.begin()))
        found.insert(match[1].str());
      return found;
    };
    auto described = numbers(text, "\\* \\((C[0-9]+)\\)");
    auto source = llvm::MemoryBuffer::getFile(path.substr(0, path.size() - 3) + ".cpp");
    StringRef messages = source ? (*source)->getBuffer() : "";
    EXPECT_EQ(numbers(messages, "[(\"](C[0-9]+)[)\"]"), described);
    // The tests of errors are in a file with this stem: attention-errors.mlir or attention.mlir.
    std::string stem = kebab(llvm::sys::path::stem(path)), tests;
    for (const char *ending : {"-errors.mlir", ".mlir"})
      if (auto buffer = llvm::MemoryBuffer::getFile(root + "tests/dialect/" + stem + ending))
        tests += (*buffer)->getBuffer();
    for (const std::string &label : described)
      EXPECT_TRUE(llvm::Regex("expected-error.*\\(" + label + "\\)\\}\\}").match(tests)) << "no test expects " << label;
  }
}

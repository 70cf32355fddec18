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

static const std::string root = HEDDLE_TEST_DATA "/../../"; // the root folder of the sources

/// Returns the texts of the files in a folder (a path relative to the root) whose names end with `ending`. The keys are
/// the paths of the files.
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

/// Each op that the interpreter evaluates has a file in dialect/reference. The file has the same stem as the .td file
/// that defines the op.
TEST(EveryOp, HasAReferenceInTheFileOfItsStem) {
  Runner runner;
  for (auto &[path, text] : filesOf("dialect/ops", ".td")) {
    StringRef stem = llvm::sys::path::stem(path);
    // The interpreter does not evaluate the ops of three files: heddle.accesses exists only during bufferization,
    // heddle.yield (in Accesses.td) only ends a region, heddle.sizes exists only in importers, and a constant replaces
    // heddle.size before a module is interpreted.
    if (StringRef(text).contains("def Heddle_") && stem != "Accesses" && stem != "Size" && stem != "Sizes")
      EXPECT_TRUE(llvm::sys::fs::exists(root + "dialect/reference/" + stem + ".cpp")) << path;
  }
  for (mlir::RegisteredOperationName op : runner.context.getRegisteredOperations())
    if (op.getDialectNamespace() == "heddle" &&
        !llvm::is_contained({"accesses", "size", "sizes", "yield"}, op.stripDialect()))
      EXPECT_TRUE(op.hasInterface<heddle::EvaluateInterface>()) << op.getStringRef().str();
}

/// The description of an op labels its constraints (C1), (C2) and so on. Each label occurs in a message of the .cpp
/// file with the same stem, and in an error that a lit test expects. The messages contain no other labels.
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

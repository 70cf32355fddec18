//===- every_op_test.cpp - constraints are checked and tested -------------===//
//
// Compares the documentation of the ops with their code and tests. tests/e2e/every_op_test.cpp verifies that each op
// prints, runs and compiles.
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

/// Returns the files of a folder with this extension: their texts by path.
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

/// Each op has a reference with the stem of the .td file that defines the op.
TEST(EveryOp, HasItsReferenceUnderItsStem) {
  Runner runner;
  for (auto &[path, text] : filesOf("dialect/ops", ".td")) {
    StringRef stem = llvm::sys::path::stem(path);
    // These ops are not interpreted. heddle.dispatch is created when tasks are outlined, and heddle.accesses during
    // bufferization, after the forms that the interpreter runs. heddle.size is replaced at fixed sizes, and
    // heddle.sizes occurs only in importers.
    if (StringRef(text).contains("def Heddle_") && stem != "Dispatch" && stem != "Accesses" && stem != "Size" && stem != "Sizes")
      EXPECT_TRUE(llvm::sys::fs::exists(root + "dialect/reference/" + stem + ".cpp")) << path;
  }
  for (mlir::RegisteredOperationName op : runner.context.getRegisteredOperations())
    if (op.getDialectNamespace() == "heddle" &&
        !llvm::is_contained({"dispatch", "accesses", "size", "sizes", "yield"}, op.stripDialect()))
      EXPECT_TRUE(op.hasInterface<heddle::EvaluateInterface>()) << op.getStringRef().str();
}

/// Each (C<n>) of a description occurs at the end of a message in the .cpp file of the same stem, and in an error that
/// some test expects (lit verifies it). No message refers to an undescribed constraint.
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
    // The error tests are named after the stem: attention-errors.mlir, or attention.mlir.
    std::string stem = kebab(llvm::sys::path::stem(path)), tests;
    for (const char *ending : {"-errors.mlir", ".mlir"})
      if (auto buffer = llvm::MemoryBuffer::getFile(root + "tests/dialect/" + stem + ending))
        tests += (*buffer)->getBuffer();
    for (const std::string &label : described)
      EXPECT_TRUE(llvm::Regex("expected-error.*\\(" + label + "\\)\\}\\}").match(tests)) << "no test expects " << label;
  }
}

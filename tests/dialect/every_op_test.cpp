//===- every_op_test.cpp - no operation without all that belongs to it ----===//
//
// For each registered op of the dialect: a reference under the stem of the .td file
// that defines it, a way down (a strategy, C++ of the compiler that names the op's class,
// or a decomposition), tests of its syntax with an error case for each numbered constraint, and a
// test of its reference.
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

/// The files below a folder with one of these endings, by path, and their text.
static std::map<std::string, std::string> filesBelow(const std::string &folder, std::vector<StringRef> endings) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(root + folder, error), end; it != end && !error;
       it.increment(error))
    for (StringRef ending : endings)
      if (StringRef(it->path()).ends_with(ending))
        if (auto buffer = llvm::MemoryBuffer::getFile(it->path()))
          files[it->path()] = (*buffer)->getBuffer().str();
  return files;
}

/// The files that match a pattern.
static std::vector<std::string> holding(const std::map<std::string, std::string> &files, const std::string &pattern) {
  std::vector<std::string> result;
  llvm::Regex regex(pattern);
  for (auto &[path, text] : files)
    if (regex.match(text))
      result.push_back(path);
  return result;
}

TEST(EveryOp, HasReferenceLoweringAndTests) {
  Runner runner;
  auto definitions = filesBelow("dialect/ops", {".td"});
  auto lowering = filesBelow("compiler/lowering", {".cpp"});
  lowering.merge(filesBelow("compiler/transforms", {".cpp"}));
  auto strategies = filesBelow("compiler/strategies", {".mlir"});
  auto tests = filesBelow("tests/dialect", {".mlir"});
  auto referenceTests = filesBelow("tests/reference", {".cpp", ".mlir"});
  referenceTests.merge(filesBelow("tests/interpreter", {".cpp"}));

  unsigned count = 0;
  for (mlir::RegisteredOperationName op : runner.context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != "heddle")
      continue;
    ++count;
    std::string mnemonic = op.stripDialect().str(), name = op.getStringRef().str();
    SCOPED_TRACE(name);
    auto defined = holding(definitions, "def Heddle_[A-Za-z]+Op : [A-Za-z_]+<[^[]*\"" + mnemonic + "\"");
    ASSERT_EQ(defined.size(), 1u) << "no single file of dialect/ops defines it";
    StringRef stem = llvm::sys::path::stem(defined[0]);
    // heddle.dispatch is made when tasks are outlined, of memory: past the forms the interpreter runs.
    if (mnemonic != "dispatch") {
      EXPECT_TRUE(llvm::sys::fs::exists(root + "dialect/reference/" + stem + ".cpp")) << "no reference/" << stem.str();
      EXPECT_FALSE(holding(referenceTests, name + "([^_a-z]|$)").empty()) << "no test of its reference";
    }
    std::string className;
    for (size_t i = 0; i < mnemonic.size(); ++i)
      if (mnemonic[i] != '_')
        className += i == 0 || mnemonic[i - 1] == '_' ? llvm::toUpper(mnemonic[i]) : mnemonic[i];
    bool decomposes = op.hasInterface<mlir::linalg::AggregatedOpInterface>();
    EXPECT_FALSE(!decomposes && holding(strategies, "op = \"" + mnemonic + "\"").empty() &&
                 holding(lowering, "[^A-Za-z]" + className + "Op[^A-Za-z]").empty())
        << "no strategy and no lowering";
    EXPECT_FALSE(holding(tests, "= " + name + " |^ *" + name + " ").empty() && mnemonic != "dispatch")
        << "no test of its syntax";
  }
  EXPECT_GE(count, 9u);
}

/// LinearAttention as linear-attention.
static std::string kebab(StringRef name) {
  std::string result;
  for (char c : name) {
    if (llvm::isUpper(c) && !result.empty())
      result += '-';
    result += llvm::toLower(c);
  }
  return result;
}

/// Each (C<n>) of a description is the end of a message in the same stem's .cpp, and of an
/// expected error in some test; and no message cites a constraint that is not described.
TEST(EveryOp, ConstraintsAreCheckedAndTested) {
  auto definitions = filesBelow("dialect/ops", {".td"});
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
    ASSERT_TRUE(bool(source));
    EXPECT_EQ(numbers((*source)->getBuffer(), "[(\"](C[0-9]+)[)\"]"), described);
    // The error tests are named after the stem: attention-errors.mlir, or attention.mlir.
    std::string stem = kebab(llvm::sys::path::stem(path)), tests;
    for (const char *ending : {"-errors.mlir", ".mlir"})
      if (auto buffer = llvm::MemoryBuffer::getFile(root + "tests/dialect/" + stem + ending))
        tests += (*buffer)->getBuffer();
    for (const std::string &label : described)
      EXPECT_TRUE(StringRef(tests).contains("(" + label + ")}}")) << "no test expects " << label;
  }
}

//===- input_file_test.cpp - the log of read files ------------------------===//
//
// InputFileLog records the files that a compilation reads, from which makeRule writes a rule for make. If the rule
// lacked a file, make would not compile the model again when this file changes.
//
//===----------------------------------------------------------------------===//

#include "heddle/InputFile.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace heddle;

namespace {

TEST(InputFileLog, ListsEachFileOnce) {
  std::string path = testing::TempDir() + "input_file_test";
  FILE *file = fopen(path.c_str(), "w");
  ASSERT_TRUE(file && fputs("text", file) >= 0 && fclose(file) == 0);
  auto read = [](const std::string &path) {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readRegularFile(path);
    llvm::consumeError(buffer.takeError());
  };
  read(path); // this read is not recorded, because no log exists yet
  {
    InputFileLog log;
    EXPECT_TRUE(log.paths().empty());
    read(path);
    read(path + ".missing");
    noteInputFile("other");
    read(path);
    EXPECT_EQ(log.paths(), (std::vector<std::string>{path, "other"}));
  }
  EXPECT_TRUE(InputFileLog().paths().empty());
  remove(path.c_str());
}

TEST(InputFileLog, RulesHaveTheSyntaxOfMake) {
  EXPECT_EQ(makeRule("a.so", {}), "a.so:\n");
  EXPECT_EQ(makeRule("my lib.so", {"one", "two words", "#3 $"}),
            "my\\ lib.so: \\\n  one \\\n  two\\ words \\\n  \\#3\\ $$\n");
}

} // namespace

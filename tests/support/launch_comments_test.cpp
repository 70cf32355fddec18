//===- launch_comments_test.cpp - names of operations in kernels ----------===//
//
// A comment in the text of a GPU kernel names the operations of the model that
// the kernel computes, for error messages. The names come from model files and
// may contain any bytes. A comment must stay one line, so that a name cannot
// add code to the kernel.
//
//===----------------------------------------------------------------------===//

#include "heddle/LaunchComments.h"

#include "gtest/gtest.h"

using namespace heddle;
using llvm::StringRef;

TEST(LaunchComments, AreReadBackUnchanged) {
  std::string text = writeLaunchComment("k0_launch0", "softmax", {"/encoder/Softmax"}) +
                     ".visible .entry k0_launch0(\n" + writeLaunchComment("k0_launch1", "", {"Add_7", "Mul_8"}) +
                     writeLaunchComment("k1_launch0", "linear", {});
  EXPECT_EQ(StringRef(text).split('\n').first, "// heddle k0_launch0: softmax \"/encoder/Softmax\"");
  llvm::StringMap<std::string> descriptions = readLaunchComments(text);
  EXPECT_EQ(descriptions.size(), 3u);
  EXPECT_EQ(descriptions.lookup("k0_launch0"), "softmax \"/encoder/Softmax\"");
  EXPECT_EQ(descriptions.lookup("k0_launch1"), "\"Add_7\", \"Mul_8\"");
  EXPECT_EQ(descriptions.lookup("k1_launch0"), "linear");
}

TEST(LaunchComments, UnknownLaunchesHaveNone) { EXPECT_EQ(writeLaunchComment("k0_launch0", "", {}), ""); }

TEST(LaunchComments, AreOneLineForAnyName) {
  for (StringRef name : {StringRef("a\n.visible .entry evil() { ret; }"), StringRef("a\r\nb"), StringRef("a*/ b /* c"),
                         StringRef("\""), StringRef("a\\"), StringRef("a\0b", 3), StringRef("\x1b[31m\x7f\xff"),
                         StringRef("\xe2\x80\xa8"), StringRef("?\?/"), StringRef("x\v\f\x85y")}) {
    std::string note = writeLaunchComment("k", "linear", {name, name});
    EXPECT_EQ(StringRef(note).count('\n'), 1u);
    EXPECT_EQ(note.back(), '\n');
    EXPECT_TRUE(llvm::all_of(StringRef(note).drop_back(), [](char c) { return c >= ' ' && c <= '~'; })) << note;
    EXPECT_FALSE(StringRef(note).contains("*/")) << note;
    EXPECT_FALSE(StringRef(note).contains('?')) << note;
    EXPECT_TRUE(StringRef(note).ends_with("\"\n")) << note; // the line does not end with a backslash
    EXPECT_EQ(readLaunchComments(note).size(), 1u) << note;
  }
  EXPECT_EQ(writeLaunchComment("k", "evil*/\n", {"\n"}), "// heddle k: evil \"\\0A\"\n");
}

TEST(LaunchComments, AreShort) {
  std::string name(1 << 20, '\n');
  std::string note = writeLaunchComment("k", "linear", {name, "b", "c"});
  EXPECT_LT(note.size(), 300u);
  EXPECT_TRUE(StringRef(note).ends_with("...\", \"b\", ...\n")) << note;
}

TEST(LaunchComments, OtherTextContainsNone) {
  for (StringRef text : {"", "// heddle", "// heddle \n", "// heddle k", "// heddle : a", "// heddle k: ",
                         "// heddle k: \x1b[31m\n", " // heddle k: a\n", "//heddle k: a\n"})
    EXPECT_TRUE(readLaunchComments(text).empty()) << text.str();
  EXPECT_LT(readLaunchComments("// heddle k: " + std::string(1 << 20, 'a')).lookup("k").size(), 1000u);
  EXPECT_EQ(readLaunchComments("// heddle k: a\n// heddle k: b\n").lookup("k"), "a");
}

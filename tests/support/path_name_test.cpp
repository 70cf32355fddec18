//===- path_name_test.cpp - names of files without folders ----------------===//

#include "heddle/PathName.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>

using heddle::nameWithoutFolders;

namespace {

TEST(PathName, DoesNotContainFolders) {
  EXPECT_EQ(nameWithoutFolders("model.onnx"), "model.onnx");
  EXPECT_EQ(nameWithoutFolders("/home/user/model.onnx"), "model.onnx");
  EXPECT_EQ(nameWithoutFolders("../models/all-MiniLM-L6-v2"), "all-MiniLM-L6-v2");
}

TEST(PathName, AFolderMayEndWithASlash) {
  EXPECT_EQ(nameWithoutFolders("/home/user/encoder/"), "encoder");
  EXPECT_EQ(nameWithoutFolders("encoder//"), "encoder");
}

TEST(PathName, PathsWithoutANameGetTheNameOfTheFolder) {
  llvm::SmallString<128> here;
  ASSERT_FALSE(llvm::sys::fs::current_path(here));
  std::string name = llvm::sys::path::filename(here).str();
  EXPECT_EQ(nameWithoutFolders("."), name);
  EXPECT_EQ(nameWithoutFolders("./"), name);
  // This folder does not exist, so its real path is unknown.
  EXPECT_EQ(nameWithoutFolders("/nowhere/at/all/.."), "..");
}

TEST(PathName, AnEmptyPathStaysEmpty) { EXPECT_EQ(nameWithoutFolders(""), ""); }

} // namespace

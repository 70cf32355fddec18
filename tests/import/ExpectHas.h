//===- ExpectHas.h - expects that a text contains another -------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_EXPECTHAS_H
#define HEDDLE_TESTS_IMPORT_EXPECTHAS_H

#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

/// Returns success if `text` contains `part`, and otherwise a failure with both texts.
inline testing::AssertionResult has(llvm::StringRef text, llvm::StringRef part) {
  if (text.contains(part))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected: " << part.str() << "\n   found: " << text.str();
}

#define EXPECT_HAS(text, part) EXPECT_TRUE(has(text, part))

#endif // HEDDLE_TESTS_IMPORT_EXPECTHAS_H

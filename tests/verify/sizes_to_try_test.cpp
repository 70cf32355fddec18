//===- sizes_to_try_test.cpp - the sizes at which models are verified -----===//

#include "heddle/Ranges.h"

#include <gtest/gtest.h>

using namespace heddle;

// A model with many sizes in ranges is verified at least where all sizes are smallest, and where all are largest.
TEST(SizesToTry, ContainsBothExtremes) {
  for (size_t count = 1; count < 70; ++count) {
    SizeRanges ranges(count, {"size", 1, 100});
    std::vector<SizeValues> sizes = sizesToTry(ranges, {}, /*seed=*/1, /*small=*/4);
    EXPECT_TRUE(llvm::is_contained(sizes, SizeValues(count, 1))) << count;
    EXPECT_TRUE(llvm::is_contained(sizes, SizeValues(count, 100))) << count;
  }
}

// If there are at most eight corners (combinations of smallest and largest sizes), each corner is used once.
TEST(SizesToTry, ContainsAllOfFewCorners) {
  SizeRanges ranges = {{"a", 1, 100}, {"b", 2, 200}, {"c", 3, 300}};
  std::vector<SizeValues> sizes = sizesToTry(ranges, {}, /*seed=*/1, /*small=*/4);
  for (unsigned corner = 0; corner < 8; ++corner) {
    SizeValues values;
    for (auto [i, range] : llvm::enumerate(ranges))
      values.push_back(size_t(corner >> i & 1 ? range.high : range.low));
    EXPECT_EQ(llvm::count(sizes, values), 1);
  }
}

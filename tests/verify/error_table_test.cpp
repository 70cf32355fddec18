//===- error_table_test.cpp - tables of errors ----------------------------===//

#include "heddle/ErrorTable.h"

#include "llvm/Support/JSON.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace heddle;

TEST(ErrorTable, JsonIsValidIfNumbersAreNotFinite) {
  Judgement judgement;
  judgement.comparison.error = INFINITY;
  judgement.comparison.bound = 0.5;
  judgement.fromF32 = Distance();
  judgement.fromF32->error = -INFINITY;
  judgement.fromF32->cosine = NAN;
  std::string text;
  llvm::raw_string_ostream stream(text);
  printErrorJson(stream, judgement);
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  ASSERT_TRUE(bool(json)) << llvm::toString(json.takeError()) << text;
  const llvm::json::Object &entry = *json->getAsArray()->front().getAsObject();
  EXPECT_EQ(entry.getNumber("bound"), 0.5);
  for (const char *key : {"max_abs_error", "max_abs_distance_from_f32", "worst_row_cosine_to_f32"})
    EXPECT_TRUE(entry.getNull(key)) << key;
}

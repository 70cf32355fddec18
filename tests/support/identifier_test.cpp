//===- identifier_test.cpp ------------------------------------------------===//

#include "heddle/Identifier.h"

#include "gtest/gtest.h"

using namespace heddle;

TEST(Identifier, LeavesOutWhatIsTaken) {
  for (const char *free : {"x", "minilm", "a_b", "Linux", "int_", "heddler", "integer_t"})
    EXPECT_TRUE(isIdentifier(free)) << free;
  for (const char *taken : {"", "1x", "a-b", "int", "typeof", "co_await", "linux", "main", "std", "_Bool", "__x", "_x",
                            "size_t", "uint_least16_t", "NULL", "INT64_MAX", "UINT8_C", "heddle", "heddle_model"})
    EXPECT_FALSE(isIdentifier(taken)) << taken;
}

TEST(Identifier, MakesNamesForMembers) {
  for (auto [text, name] : {std::pair("a.b/c", "a_b_c"), {"", "_"}, {"1x", "_1x"}, {"int", "int_"}, {"_x", "_x"},
                            {"_Bool", "x_Bool"}, {"__func__", "x__func__"}, {"size_t", "size_t_"}, {"NULL", "NULL_"}})
    EXPECT_EQ(makeIdentifier(text), name);
}

TEST(Identifier, FindsFunctionsOfLibc) {
  EXPECT_EQ(findLibcFunction("memset"), "memset");
  EXPECT_EQ(findLibcFunction("printf"), "printf");
  EXPECT_EQ(findLibcFunction("gamma"), "gamma"); // libm's
  EXPECT_EQ(findLibcFunction("sem"), "sem_init");
  EXPECT_EQ(findLibcFunction("minilm"), std::nullopt);
}

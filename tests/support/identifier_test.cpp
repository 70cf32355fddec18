//===- identifier_test.cpp - C identifiers for generated code -------------===//
//
// Names of models and tensors become identifiers in generated C headers. They
// must not be reserved in C or C++, nor be macros of headers that a program may
// include, because the header would not compile then.
//
//===----------------------------------------------------------------------===//

#include "heddle/Identifier.h"

#include "gtest/gtest.h"

using namespace heddle;

TEST(Identifier, AvoidsReservedNames) {
  for (const char *free : {"x", "minilm", "a_b", "Linux", "int_", "heddler", "integer_t", "BERT", "ENCODER", "X",
                           "SIGNAL", "EXIT", "Assert"})
    EXPECT_TRUE(isIdentifier(free)) << free;
  for (const char *taken : {"", "1x", "a-b", "int", "typeof", "co_await", "linux", "main", "std", "_Bool", "__x", "_x",
                            "size_t", "uint_least16_t", "NULL", "INT64_MAX", "UINT8_C", "heddle", "heddle_model",
                            "HEDDLE", "Heddle_abi", "errno", "stdin", "assert", "complex", "I", "EOF", "EDOM", "ENOMEM",
                            "SIGSEGV", "SIGKILL", "CHAR_BIT", "FLT_MAX", "LC_ALL", "PRId64", "B50", "flt", "LDBL"})
    EXPECT_FALSE(isIdentifier(taken)) << taken;
}

TEST(Identifier, MakesIdentifiers) {
  for (auto [text, name] : {std::pair("a.b/c", "a_b_c"), {"", "_"}, {"1x", "_1x"}, {"int", "int_"}, {"_x", "_x"},
                            {"_Bool", "x_Bool"}, {"__func__", "x__func__"}, {"size_t", "size_t_"}, {"NULL", "NULL_"}})
    EXPECT_EQ(makeIdentifier(text), name);
}

/// A name with at least two capitals and no lower-case letter may be a macro of some header. A member of a struct gets
/// such a name in lower case.
TEST(Identifier, AvoidsNamesInCapitals) {
  for (auto [text, name] : {std::pair("EOF", "eof"), {"INPUT_IDS", "input_ids"}, {"INT", "int_"}, {"SIGINT", "sigint"},
                            {"_Exit", "x_Exit"}, {"_EXIT", "_exit"}, {"X", "X"}, {"X1", "X1"}, {"I", "I_"}, {"B50", "B50_"},
                            {"Wq", "Wq"}, {"errno", "errno_"}, {"PRId64", "PRId64_"}, {"size_t", "size_t_"}})
    EXPECT_EQ(makeMemberName(text), name);
}

/// A library NAME defines functions called NAME, NAME_init and so on, which must not redefine functions of libc.
TEST(Identifier, FindsFunctionsOfLibc) {
  EXPECT_EQ(findLibcFunction("memset"), "memset");
  EXPECT_EQ(findLibcFunction("printf"), "printf");
  EXPECT_EQ(findLibcFunction("gamma"), "gamma"); // a function of libm
  EXPECT_EQ(findLibcFunction("sem"), "sem_init");
  EXPECT_EQ(findLibcFunction("minilm"), std::nullopt);
}

//===- huggingface_config_test.cpp - reading fields of config.json --------===//
//
// The class Config reads fields of a config.json and records which fields were read. The importer refuses a file with
// fields that were not read, because an unknown field may change what the model computes.
//
//===----------------------------------------------------------------------===//

#include "../../compiler/import/huggingface/Config.h"
#include "Diagnostics.h"

#include "heddle/Json.h"

#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

struct HuggingFaceConfig : testing::Test {
  TestContext context;
  llvm::json::Object object; // the last parsed object, to which its Config refers

  Config parse(StringRef text) {
    FailureOr<llvm::json::Object> parsed = parseJsonObject(UnknownLoc::get(&context), text);
    EXPECT_TRUE(succeeded(parsed)) << context.take();
    object = std::move(*parsed);
    return Config(UnknownLoc::get(&context), object);
  }
};

TEST_F(HuggingFaceConfig, ReadsFieldsAndUsesDefaultsForMissingOnes) {
  Config config = parse(R"({"size": 3, "none": null, "number": 0.5, "flag": true, "names": ["a", "b"],
                            "numbers": [1, 2.5], "inner": {"base": 10}})");
  EXPECT_EQ(config.size("size"), 3);
  EXPECT_EQ(config.sizeOr("missing", 7), 7);
  EXPECT_EQ(config.sizeOrNull("none", 8), 8);
  EXPECT_EQ(config.number("number", 0), 0.5);
  EXPECT_TRUE(config.flag("flag"));
  EXPECT_TRUE(config.flag("missing", true));
  EXPECT_FALSE(config.has("none"));
  EXPECT_EQ(config.strings("names"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config.numbers("numbers"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(config.nested("inner").number("base", 0), 10);
  EXPECT_FALSE(config.nested("missing").has("base"));
  EXPECT_EQ(config.count("inner"), 1);
  config.refuseUnread();
  EXPECT_FALSE(config.failed());
  EXPECT_TRUE(config.getRead().count("inner.base"));
}

/// getReadText() lists all fields that were read, with their values. The fingerprint of a model, a hash that
/// identifies it, depends on this text. The order of fields must therefore not change the text, and fields without
/// influence on the model must not occur in it.
TEST_F(HuggingFaceConfig, TextOfReadFieldsDoesNotDependOnTheirOrder) {
  auto read = [&](StringRef text) {
    Config config = parse(text);
    config.size("size");
    config.number("missing", 0.5);
    config.nested("inner").number("base", 0);
    config.numbers("numbers");
    config.ignore({"name"});
    return config.getReadText();
  };
  std::string text = read(R"({"numbers": [1, 2.5], "size": 3, "name": "a", "inner": {"base": 10, "other": 1}})");
  EXPECT_EQ(text, "inner.base 10\nnumbers [1,2.5]\nsize 3\n");
  EXPECT_EQ(text, read(R"({"name": "b", "size": 3, "inner": {"base": 10}, "numbers": [1, 2.5]})"));
}

TEST_F(HuggingFaceConfig, RefusesValuesOfAnotherType) {
  Config config = parse(R"({"a": "3", "b": null, "c": [1, "2"], "e": {"f": 0}})");
  config.size("a");
  config.sizeOr("b", 1);
  config.numbers("c");
  config.strings("c");
  config.nested("a");
  config.size("missing");
  config.nested("e").size("f");
  config.nested("e").size("f", 2);
  EXPECT_TRUE(config.failed());
  EXPECT_EQ(context.take(), "a: expected an integer from 1 to 2147483648, found \"3\"\n"
                            "b: expected an integer from 1 to 2147483648, found null\n"
                            "c: expected an array of numbers\nc: expected an array of strings\na: expected an object\n"
                            "missing: expected an integer from 1 to 2147483648, but the field is missing\n"
                            "e.f: expected an integer from 1 to 2147483648, found 0\n"
                            "e.f: expected an integer from 2 to 2147483648, found 0\n");
}

TEST_F(HuggingFaceConfig, RefusesFieldsThatAreNeverRead) {
  Config config = parse(R"({"known": 1, "ignored": 2, "unknown": 3, "rope": {"theta": 4, "factor": 5}})");
  config.size("known");
  config.ignore({"ignored"});
  config.nested("rope").size("theta");
  EXPECT_FALSE(config.failed());
  config.refuseUnread();
  EXPECT_TRUE(config.failed());
  EXPECT_EQ(context.take(), "rope.factor: this field is not known, and may change what the model computes\n"
                            "unknown: this field is not known, and may change what the model computes\n");
}

} // namespace

//===- safetensors_test.cpp - headers of .safetensors files ---------------===//
//
// A .safetensors file consists of the length of its header (8 bytes), a header
// in JSON with the type, shape and byte range of each tensor, and the bytes of
// the tensors. Files may come from untrusted sources, so the reader must refuse
// every invalid header with a message, and read nothing outside of the file.
//
//===----------------------------------------------------------------------===//

#include "tensors/safetensors.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using File = std::unique_ptr<heddle_safetensors, decltype(&heddle_safetensors_free)>;

/// Returns the bytes of a file with this header and `dataSize` bytes of data. The bytes are on the heap, so that
/// AddressSanitizer detects a read outside of the file.
std::vector<char> fileWith(const std::string &header, size_t dataSize) {
  std::vector<char> bytes(8);
  for (int i = 0; i < 8; ++i)
    bytes[i] = char(uint64_t(header.size()) >> 8 * i);
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.resize(bytes.size() + dataSize);
  return bytes;
}

/// Reads the file. If it is refused, returns null and sets `error`. The result points into `bytes`.
File parse(const std::vector<char> &bytes, std::string &error) {
  char text[HEDDLE_SAFETENSORS_ERROR_SIZE] = "";
  File file(heddle_safetensors_parse(bytes.data(), bytes.size(), text, sizeof text), heddle_safetensors_free);
  error = text;
  return file;
}

/// Returns the error for these bytes, or "" if they are accepted.
std::string errorOf(const std::vector<char> &bytes) {
  std::string error;
  File file = parse(bytes, error);
  EXPECT_EQ(!file, !error.empty()) << error;
  return error;
}
std::string errorOf(const std::string &header, size_t dataSize = 0) { return errorOf(fileWith(header, dataSize)); }

/// Returns a header with one tensor x. The arguments are JSON texts.
std::string entry(const std::string &shape, const std::string &offsets, const std::string &dtype = "\"F32\"") {
  return R"({"x": {"dtype": )" + dtype + R"(, "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}}";
}

TEST(SafetensorsHeader, ReadsAllTypes) {
  const std::pair<const char *, int64_t> types[] = {
      {"BOOL", 1}, {"I8", 1},  {"I16", 2},  {"I32", 4}, {"I64", 8}, {"U8", 1},      {"U16", 2},    {"U32", 4},
      {"U64", 8},  {"F16", 2}, {"BF16", 2}, {"F32", 4}, {"F64", 8}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};
  ASSERT_EQ(std::size(types), size_t(HEDDLE_DTYPE_COUNT));
  for (int dtype = 0; dtype < HEDDLE_DTYPE_COUNT; ++dtype) {
    auto [name, size] = types[dtype];
    EXPECT_STREQ(heddle_dtype_name(heddle_dtype(dtype)), name);
    EXPECT_EQ(heddle_dtype_size(heddle_dtype(dtype)), size);
    std::string end = std::to_string(6 * size), error;
    std::vector<char> bytes = fileWith(entry("[2, 3]", "[0, " + end + "]", '"' + std::string(name) + '"'), 6 * size);
    File file = parse(bytes, error);
    ASSERT_TRUE(file) << error;
    ASSERT_EQ(file->count, 1u);
    EXPECT_EQ(file->data_size, 6 * size);
    EXPECT_EQ(file->entries[0].dtype, dtype);
    EXPECT_EQ(heddle_safetensors_size(&file->entries[0]), 6 * size);
  }
}

TEST(SafetensorsHeader, ReadsEntriesInTheOrderOfTheirBytes) {
  // The header contains white space, escapes, unknown members, an empty tensor, a name with a 0 byte, and numbers such
  // as +2 and 03, which are not valid JSON but are accepted.
  std::string header = " {\"second\":\n{\"shape\":[ +2 , 03\t] , \"other\": {\"dtype\": [1, {\"shape\": \"]}\"}]},\r"
                       "\"d\\u0074ype\": \"U\\u0038\", \"data_offsets\": [ 4,10 ]},"
                       "\"__metadata__\": {\"dtype\": \"none\"},"
                       "\"empty\": {\"dtype\": \"I64\", \"shape\": [9223372036854775807, 7, -0], "
                       "\"data_offsets\": [4, 4]},"
                       "\"first\\u0000\\ud840\\udfff\\ud83d\": {\"dtype\": \"F32\", \"shape\": [], "
                       "\"data_offsets\": [0, 4]}} \t\n";
  std::string error;
  std::vector<char> bytes = fileWith(header, 10);
  File file = parse(bytes, error);
  ASSERT_TRUE(file) << error;
  ASSERT_EQ(file->count, 3u);
  EXPECT_EQ(file->data, bytes.data() + bytes.size() - 10);
  const heddle_safetensors_entry &first = file->entries[0], &empty = file->entries[1], &second = file->entries[2];
  std::string name("first\0\xf0\xa0\x8f\xbf\xef\xbf\xbd", 13);
  EXPECT_EQ(std::string(first.name, first.name_size + 1), name + '\0');
  EXPECT_EQ(first.rank, 0u);
  EXPECT_EQ(first.begin, 0);
  EXPECT_EQ(first.end, 4);
  EXPECT_STREQ(empty.name, "empty");
  EXPECT_EQ(empty.end, 4);
  EXPECT_EQ(std::vector<int64_t>(empty.shape, empty.shape + empty.rank), (std::vector<int64_t>{INT64_MAX, 7, 0}));
  EXPECT_STREQ(second.name, "second");
  EXPECT_EQ(second.dtype, HEDDLE_DTYPE_U8);
  EXPECT_EQ(std::vector<int64_t>(second.shape, second.shape + second.rank), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(heddle_safetensors_find(file.get(), "second"), &second);
  EXPECT_EQ(heddle_safetensors_find(file.get(), "empty"), &empty);
  EXPECT_EQ(heddle_safetensors_find(file.get(), "first"), nullptr);
  EXPECT_EQ(heddle_safetensors_find(file.get(), "__metadata__"), nullptr);
}

TEST(SafetensorsHeader, ReadsFilesWithoutTensors) {
  EXPECT_EQ(errorOf("{}"), "");
  EXPECT_EQ(errorOf("{\"__metadata__\": null}  "), "");
}

TEST(SafetensorsHeader, RefusesWrongLengths) {
  EXPECT_EQ(errorOf(std::vector<char>()), "expected at least 8 bytes, found 0");
  EXPECT_EQ(errorOf(std::vector<char>(7)), "expected at least 8 bytes, found 7");
  EXPECT_EQ(errorOf(std::vector<char>(8, '\xff')),
            "expected a header of at most 100000000 bytes, found 18446744073709551615: not a .safetensors file?");
  std::vector<char> bytes = fileWith("{}", 0);
  bytes.pop_back();
  EXPECT_EQ(errorOf(bytes), "expected a header of 2 bytes, found only 1");
  const char limit[] = {0, '\xe1', '\xf5', 5, 0, 0, 0, 0}, above[] = {1, '\xe1', '\xf5', 5, 0, 0, 0, 0};
  EXPECT_EQ(errorOf(std::vector<char>(limit, limit + 8)), "expected a header of 100000000 bytes, found only 0");
  EXPECT_EQ(errorOf(std::vector<char>(above, above + 8)),
            "expected a header of at most 100000000 bytes, found 100000001: not a .safetensors file?");
}

TEST(SafetensorsHeader, RefusesTextThatIsNoJson) {
  const std::pair<std::string, const char *> cases[] = {
      {"", "[1:0, byte=0]: Unexpected EOF"},
      {"{", "[1:1, byte=1]: Expected object key"},
      {"{\n\n \"a\" 1}", "[3:6, byte=9]: Expected : after object key"},
      {"{\"a\": 1 \"b\"}", "[1:9, byte=9]: Expected , or } after object property"},
      {"{\"a\": 1,}", "[1:9, byte=9]: Expected object key"},
      {"{\"a\": }", "[1:7, byte=7]: Invalid JSON value"},
      {"[1 2]", "[1:4, byte=4]: Expected , or ] after array element"},
      {"[1,]", "[1:4, byte=4]: Invalid JSON value"},
      {"{} {", "[1:3, byte=3]: Text after end of document"},
      {std::string("{}\0", 3), "[1:2, byte=2]: Text after end of document"},
      {"{\"a", "[1:3, byte=3]: Unterminated string"},
      {"{\"a\": \"\n\"}", "[2:0, byte=8]: Control character in string"},
      {"{\"a\": \"\x1f\"}", "[1:8, byte=8]: Control character in string"},
      {"{\"\\a\"}", "[1:4, byte=4]: Invalid escape sequence"},
      {"{\"\\u12g4\"}", "[1:8, byte=8]: Invalid \\u escape sequence"},
      {"{\"\\ud800\\u12\"}", "[1:14, byte=14]: Invalid \\u escape sequence"},
      {"{\"a\": nul}", "[1:10, byte=10]: Invalid JSON value (null?)"},
      {"{\"a\": tree}", "[1:9, byte=9]: Invalid JSON value (true?)"},
      {"{\"a\": falsy}", "[1:11, byte=11]: Invalid JSON value (false?)"},
      {"{\"a\": 1e}", "[1:8, byte=8]: Invalid JSON value (number?)"},
      {"{\"a\": 1-1}", "[1:9, byte=9]: Invalid JSON value (number?)"},
      {"{\"a\": .}", "[1:7, byte=7]: Invalid JSON value (number?)"},
      {"{\"\x80\": 1}", "[1:2, byte=2]: Invalid UTF-8 sequence"},
      {"{\"\xc0\x80\": 1}", "[1:2, byte=2]: Invalid UTF-8 sequence"},
      {"{\"\xe0\x9f\xbf\": 1}", "[1:2, byte=2]: Invalid UTF-8 sequence"},
      {"{\"\xed\xa0\x80\": 1}", "[1:2, byte=2]: Invalid UTF-8 sequence"},
      {"{\"\xf0\x8f\xbf\xbf\": 1}", "[1:2, byte=2]: Invalid UTF-8 sequence"},
      {"{\"\xf4\x90\x80\x80\": 1}", "[1:2, byte=2]: Invalid UTF-8 sequence"},
      {"{\"\xf5\x80\x80\x80\": 1}", "[1:2, byte=2]: Invalid UTF-8 sequence"},
      {"{\"a\": 1}\xf0\x9f\x98", "[1:8, byte=8]: Invalid UTF-8 sequence"},
  };
  for (const auto &[header, error] : cases)
    EXPECT_EQ(errorOf(header), std::string("not valid JSON: ") + error) << header;
  EXPECT_EQ(errorOf("[]"), "expected a JSON object");
  EXPECT_EQ(errorOf("[{\"x\": 1}]"), "expected a JSON object");
  EXPECT_EQ(errorOf("{\"x\": \"\xf4\x8f\xbf\xbf\xed\x9f\xbf\"}"),
            "tensor 'x': expected an object with dtype, shape and data_offsets");
}

TEST(SafetensorsHeader, LimitsNesting) {
  auto nested = [](size_t depth) {
    return "{\"__metadata__\": " + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(errorOf(nested(100)), "");
  EXPECT_EQ(errorOf(nested(101)), "the JSON text is nested more than 100 levels deep");
  EXPECT_EQ(errorOf(std::string(1000000, '[')), "the JSON text is nested more than 100 levels deep");
}

TEST(SafetensorsHeader, RefusesANameTwice) {
  EXPECT_EQ(errorOf(R"({"y": {"a": 1, "a": 2}, "x": 1, "\u0078": 2})"), "the name 'a' occurs twice in one JSON object");
  EXPECT_EQ(errorOf(R"({"x": 1, "y": {"x": 1}, "z": [{"x": 1}, {"x": 2}], "\u0078": {"x": 1}})"),
            "the name 'x' occurs twice in one JSON object");
  EXPECT_EQ(errorOf(R"({"a\u0000b": 1, "a\u0000c": 1, "a": 1, "a\u0000b": 2})"),
            "the name 'a\\u0000b' occurs twice in one JSON object");
  std::string name = std::string(199, 'x') + "\xc3\xa9"; // 200 bytes would end within the last character
  EXPECT_EQ(errorOf("{\"" + name + "\": 1, \"" + name + "\": 1}"),
            "the name '" + std::string(199, 'x') + "...' occurs twice in one JSON object");
}

TEST(SafetensorsHeader, RefusesBadEntries) {
  const char noSizes[] = "tensor 'x': shape is not a list of sizes";
  const char noOffsets[] = "tensor 'x': data_offsets is not a pair of offsets [BEGIN, END] with BEGIN <= END";
  const std::pair<std::string, std::string> cases[] = {
      {R"({"x": []})", "tensor 'x': expected an object with dtype, shape and data_offsets"},
      {R"({"__metadata__\u0000": 1})",
       "tensor '__metadata__\\u0000': expected an object with dtype, shape and data_offsets"},
      {R"({"x": {}})", "tensor 'x': its dtype is missing or not a string"},
      {R"({"x": {"dtype\u0000": "U8", "o": {"dtype": "U8"}}})", "tensor 'x': its dtype is missing or not a string"},
      {entry("[1]", "[0, 4]", "32"), "tensor 'x': its dtype is missing or not a string"},
      {entry("[1]", "[0, 4]", R"("F\"4")"), "tensor 'x': dtype 'F\"4' is not supported"},
      {entry("[1]", "[0, 4]", R"("F32\u0000")"), "tensor 'x': dtype 'F32\\u0000' is not supported"},
      {entry("[1]", "[0, 4]", "\"" + std::string(1000, 'F') + "\""),
       "tensor 'x': dtype '" + std::string(200, 'F') + "...' is not supported"},
      {R"({"x": {"dtype": "F32", "data_offsets": [0, 4]}})", noSizes},
      {entry("{\"1\": 1}", "[0, 4]"), noSizes},
      {entry("[-1]", "[0, 4]"), noSizes},
      {entry("[1.0]", "[0, 4]"), noSizes},
      {entry("[1e0]", "[0, 4]"), noSizes},
      {entry("[.5]", "[0, 4]"), noSizes},
      {entry("[\"1\"]", "[0, 4]"), noSizes},
      {entry("[[1]]", "[0, 4]"), noSizes},
      {entry("[9223372036854775808]", "[0, 4]"), noSizes},
      {entry("[-9223372036854775808]", "[0, 4]"), noSizes},
      {R"({"x": {"dtype": "F32", "shape": [1]}})", noOffsets},
      {entry("[2]", "[8, 0]"), noOffsets},
      {entry("[2]", "[0]"), noOffsets},
      {entry("[2]", "[0, 4, 8]"), noOffsets},
      {entry("[2]", "[-1, 7]"), noOffsets},
      {entry("[2]", "[0, 8.0]"), noOffsets},
      {entry("[3]", "[0, 12]"), "tensor 'x': data_offsets [0, 12] reach beyond the file's 8 bytes of data"},
      {entry("[4611686018427387904, 4]", "[0, 8]"), "tensor 'x': its shape is too large"},
      {entry("[2305843009213693952]", "[0, 8]"), "tensor 'x': its shape is too large"},
      {entry("[2305843009213693951]", "[0, 8]"),
       "tensor 'x': expected 9223372036854775804 bytes for 'tensor<2305843009213693951xf32>', found 8"},
      {entry("[3]", "[0, 8]"), "tensor 'x': expected 12 bytes for 'tensor<3xf32>', found 8"},
      {entry("[]", "[0, 8]", "\"F8_E4M3\""), "tensor 'x': expected 1 bytes for 'tensor<f8E4M3FN>', found 8"},
      {entry("[1]", "[0, 4]"), "expected 4 bytes of data, found 8"},
      {entry("[1]", "[4, 8]"), "tensor 'x': expected its bytes to start at 0, found 4 (a gap)"},
  };
  for (const auto &[header, error] : cases)
    EXPECT_EQ(errorOf(header, 8), error) << header;
}

TEST(SafetensorsHeader, RefusesOverlaps) {
  std::string x = R"("x": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]})";
  auto errorWith = [&](const std::string &y) { return errorOf("{" + y + ", " + x + "}", 6); };
  EXPECT_EQ(errorWith(R"("y": {"dtype": "U8", "shape": [3], "data_offsets": [3, 6]})"),
            "tensor 'y': expected its bytes to start at 4, found 3 (an overlap)");
  EXPECT_EQ(errorWith(R"("y": {"dtype": "U8", "shape": [1], "data_offsets": [5, 6]})"),
            "tensor 'y': expected its bytes to start at 4, found 5 (a gap)");
  EXPECT_EQ(errorWith(R"("y": {"dtype": "U8", "shape": [0], "data_offsets": [2, 2]})"),
            "tensor 'y': expected its bytes to start at 4, found 2 (an overlap)");
  EXPECT_EQ(errorWith(R"("y": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]})"),
            "tensor 'y': expected its bytes to start at 4, found 0 (an overlap)");
}

TEST(SafetensorsHeader, LimitsTheRank) {
  auto ones = [](int rank) {
    std::string shape = "[1";
    for (int i = 1; i < rank; ++i)
      shape += ",1";
    return shape + "]";
  };
  EXPECT_EQ(errorOf(entry(ones(64), "[0, 4]"), 4), "");
  EXPECT_EQ(errorOf(entry(ones(65), "[0, 4]"), 4), "tensor 'x': its shape has 65 dimensions, at most 64 are supported");
}

TEST(SafetensorsHeader, CutsErrorsToTheBuffer) {
  std::vector<char> bytes = fileWith("[]", 0);
  char error[11];
  EXPECT_EQ(heddle_safetensors_parse(bytes.data(), bytes.size(), error, sizeof error), nullptr);
  EXPECT_STREQ(error, "expected a");
  EXPECT_EQ(heddle_safetensors_parse(bytes.data(), bytes.size(), nullptr, 0), nullptr);
}

/// A reader whose time is quadratic in the number of tensors would need minutes for this file.
TEST(SafetensorsHeader, ReadsManyTensors) {
  std::string header = "{", error;
  const int count = 200000;
  for (int i = count; i-- > 0;) {
    std::string begin = std::to_string(i), end = std::to_string(i + 1);
    header += "\"layer." + begin + "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[" + begin + "," + end + "]}";
    header += i ? "," : "}";
  }
  File file = parse(fileWith(header, count), error);
  ASSERT_TRUE(file) << error;
  EXPECT_EQ(file->count, size_t(count));
  EXPECT_STREQ(file->entries[count - 1].name, ("layer." + std::to_string(count - 1)).c_str());
}

struct Written {
  std::string bytes, error; // the length and the text of the header, or the error
};
/// Writes the header of a file that contains these tensors.
Written write(std::vector<heddle_safetensors_entry> entries) {
  char error[HEDDLE_SAFETENSORS_ERROR_SIZE] = "";
  size_t size = 0;
  std::unique_ptr<char, decltype(&std::free)> header(
      heddle_safetensors_header(entries.data(), entries.size(), &size, error, sizeof error), std::free);
  return {header ? std::string(header.get(), size) : "", error};
}

TEST(SafetensorsHeader, WritesHeaders) {
  const int64_t shape[] = {2, 0, INT64_MAX}, three[] = {3};
  EXPECT_EQ(write({}).bytes, std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
  Written written = write({{"b", 1, HEDDLE_DTYPE_BF16, 1, three, 0, 0},
                           {"a\"\\\n\0\xc3\xa9", 7, HEDDLE_DTYPE_I64, 3, shape, 0, 0},
                           {"", 0, HEDDLE_DTYPE_F8_E5M2, 0, nullptr, 0, 0}});
  std::string text = R"({"b":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]},)"
                     R"("a\u0022\u005c\u000a\u0000é":{"dtype":"I64","shape":[2,0,9223372036854775807],)"
                     R"("data_offsets":[6,6]},"":{"dtype":"F8_E5M2","shape":[],"data_offsets":[6,7]}})";
  text.append((8 - text.size() % 8) % 8, ' ');
  EXPECT_EQ(written.bytes.substr(8), text);
  std::vector<char> bytes(written.bytes.begin(), written.bytes.end());
  bytes.resize(bytes.size() + 7);
  EXPECT_EQ(errorOf(bytes), "");
}

TEST(SafetensorsHeader, RefusesToWriteInvalidHeaders) {
  const std::vector<int64_t> ones(65, 1);
  const int64_t large[] = {INT64_MAX / 8 + 1}, half[] = {INT64_MAX / 2 + 1};
  EXPECT_EQ(write({{"x", 1, HEDDLE_DTYPE_U8, 65, ones.data(), 0, 0}}).error,
            "tensor 'x': its shape has 65 dimensions, at most 64 are supported");
  EXPECT_EQ(write({{"x", 1, HEDDLE_DTYPE_I64, 1, large, 0, 0}}).error, "the tensors are too large");
  EXPECT_EQ(write({{"x", 1, HEDDLE_DTYPE_U8, 1, half, 0, 0}, {"y", 1, HEDDLE_DTYPE_U8, 1, half, 0, 0}}).error,
            "the tensors are too large");
  std::string name(100000000, 'x');
  EXPECT_EQ(write({{name.data(), name.size(), HEDDLE_DTYPE_U8, 0, nullptr, 0, 0}}).error,
            "the header would have 100000056 bytes, at most 100000000 are allowed");
}

} // namespace

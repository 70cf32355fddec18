//===- random_headers_test.cpp - headers of files, compared with llvm::json ===//
//
// The reader of .safetensors headers (runtime/tensors) is plain C. The test compares it with a second reader, which is
// short because LLVM parses the JSON. For random headers, both must accept the same headers and find the same tensors.
//
//===----------------------------------------------------------------------===//

#include "../import/Diagnostics.h"

#include "heddle/Json.h"
#include "tensors/json.h"
#include "tensors/safetensors.h"

#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace heddle;
using namespace mlir;

namespace {

/// A tensor of a header. `begin` and `end` are the bytes of its elements in the data.
struct Tensor {
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t begin, end;
  bool operator==(const Tensor &other) const {
    return std::tie(dtype, shape, begin, end) == std::tie(other.dtype, other.shape, other.begin, other.end);
  }
};
using Tensors = std::map<std::string, Tensor>;

const std::map<std::string, int64_t> elementSizes = {
    {"BOOL", 1}, {"I8", 1},  {"I16", 2},  {"I32", 4}, {"I64", 8}, {"U8", 1},      {"U16", 2},    {"U32", 4},
    {"U64", 8},  {"F16", 2}, {"BF16", 2}, {"F32", 4}, {"F64", 8}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

/// Reads an array of integers from 0 to INT64_MAX. A number with a fraction or an exponent does not count as an
/// integer.
std::optional<std::vector<int64_t>> sizesIn(const llvm::json::Array *array) {
  if (!array)
    return std::nullopt;
  std::vector<int64_t> sizes;
  for (const llvm::json::Value &value : *array) {
    std::optional<uint64_t> size = value.getAsUINT64();
    if (!size || *size > uint64_t(INT64_MAX))
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

/// Reads one entry. Returns nothing if the entry breaks a rule of the format.
std::optional<Tensor> tensorIn(const llvm::json::Object *entry, int64_t dataSize) {
  if (!entry)
    return std::nullopt;
  std::optional<StringRef> dtype = entry->getString("dtype");
  std::optional<std::vector<int64_t>> shape = sizesIn(entry->getArray("shape"));
  std::optional<std::vector<int64_t>> offsets = sizesIn(entry->getArray("data_offsets"));
  if (!dtype || !elementSizes.count(dtype->str()) || !shape || shape->size() > 64 || !offsets || offsets->size() != 2)
    return std::nullopt;
  int64_t begin = (*offsets)[0], end = (*offsets)[1];
  unsigned __int128 size = llvm::is_contained(*shape, 0) ? 0 : elementSizes.at(dtype->str());
  for (int64_t extent : *shape)
    if ((size *= extent) > uint64_t(INT64_MAX))
      return std::nullopt;
  if (begin > end || end > dataSize || size != uint64_t(end - begin))
    return std::nullopt;
  return Tensor{dtype->str(), *shape, begin, end};
}

/// Reads a header with LLVM's parser. Returns nothing if the header is refused.
std::optional<Tensors> readWithLlvm(TestContext &context, StringRef header, int64_t dataSize) {
  FailureOr<llvm::json::Object> object = parseJsonObject(UnknownLoc::get(&context), header);
  if (failed(object))
    return std::nullopt;
  Tensors tensors;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const auto &[key, value] : *object) {
    if (key == "__metadata__")
      continue;
    std::optional<Tensor> tensor = tensorIn(value.getAsObject(), dataSize);
    if (!tensor)
      return std::nullopt;
    ranges.push_back({tensor->begin, tensor->end});
    tensors.emplace(key.str(), *tensor);
  }
  llvm::sort(ranges);
  int64_t covered = 0;
  for (auto [begin, end] : ranges)
    if (std::exchange(covered, end) != begin)
      return std::nullopt;
  return covered == dataSize ? std::optional(tensors) : std::nullopt;
}

/// Reads a header with the reader in C, which the runner and the compiler use. Returns nothing and sets `error` if the
/// header is refused.
std::optional<Tensors> readHeader(StringRef header, int64_t dataSize, std::string &error) {
  std::vector<char> bytes(8);
  llvm::support::endian::write64le(bytes.data(), header.size());
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.resize(bytes.size() + dataSize);
  char text[HEDDLE_SAFETENSORS_ERROR_SIZE] = "";
  std::unique_ptr<heddle_safetensors, decltype(&heddle_safetensors_free)> file(
      heddle_safetensors_parse(bytes.data(), bytes.size(), text, sizeof(text)), heddle_safetensors_free);
  error = text;
  EXPECT_EQ(!file, !error.empty());
  if (!file)
    return std::nullopt;
  Tensors tensors;
  for (const heddle_safetensors_entry &entry : ArrayRef(file->entries, file->count)) {
    Tensor tensor = {heddle_dtype_name(entry.dtype), {entry.shape, entry.shape + entry.rank}, entry.begin, entry.end};
    EXPECT_TRUE(tensors.emplace(std::string(entry.name, entry.name_size), tensor).second);
  }
  return tensors;
}

/// Returns whether LLVM 22 may decode a \u escape wrongly. For characters beyond U+1FFFF, LLVM combines the bits of two
/// surrogates by | instead of +.
bool llvmMisreads(StringRef text) {
  for (size_t at = 0; (at = text.find("\\u", at)) != StringRef::npos; at += 2) {
    unsigned code;
    if (!text.substr(at + 2, 4).getAsInteger(16, code) && code >= 0xd840 && code < 0xdc00)
      return true;
  }
  return false;
}

/// Makes random texts from a seed.
struct Generator {
  std::mt19937 random;
  explicit Generator(unsigned seed) : random(seed) {}

  /// Returns a random number that is less than `limit`.
  size_t below(size_t limit) { return random() % limit; }
  std::string oneOf(ArrayRef<const char *> texts) { return texts[below(texts.size())]; }

  std::string space() { return below(4) ? "" : oneOf({" ", "\t", "\n", "\r", "  \n"}); }

  /// Returns a string in quotes, often a name that has a meaning in headers.
  std::string string() {
    if (below(2))
      return oneOf({"\"a\"", "\"b\"", "\"\\u0061\"", "\"__metadata__\"", "\"dtype\"", "\"shape\"", "\"F32\"", "\"\""});
    std::string text = "\"";
    for (size_t i = below(5); i > 0; --i)
      text += oneOf({"a", "xy", "é", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u0000", "\\u00e9", "\\uD83d\\uDE00",
                     "\\ud83d", "\\udc00", "\\ud83d\\ud83d", "\\ud83d\\u0041"});
    return text + "\"";
  }

  std::string number() {
    return oneOf({"0",
                  "1",
                  "2",
                  "4",
                  "8",
                  "-0",
                  "+1",
                  "007",
                  "1.0",
                  "1e0",
                  ".5",
                  "5.",
                  "-.5e+1",
                  "-1",
                  "1E999",
                  "--1",
                  "1e",
                  "9223372036854775807",
                  "9223372036854775808",
                  "18446744073709551616",
                  "-9223372036854775809"});
  }

  /// Returns `count` items between `open` and `close`, with random spaces.
  std::string list(char open, char close, size_t count, llvm::function_ref<std::string()> item) {
    std::string text = open + space();
    for (size_t i = 0; i < count; ++i)
      text += (i ? "," + space() : "") + item() + space();
    return text + close;
  }

  /// Returns a random JSON value. `depth` is the number of lists and objects that contain it.
  std::string value(int depth = 0) {
    switch (below(depth < 4 ? 7 : 5)) {
    case 0:
      return string();
    case 1:
    case 2:
      return number();
    case 3:
      return oneOf({"null", "true", "false"});
    case 4:
      return oneOf({"[]", "{}", "[ ]", "{ }"});
    case 5:
      return list('[', ']', below(4), [&] { return value(depth + 1); });
    default:
      return list('{', '}', below(4), [&] { return string() + space() + ":" + space() + value(depth + 1); });
    }
  }

  /// Replaces, removes or adds something at a random position.
  void mutate(std::string &text) {
    static const char *const tokens[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "\"",
                                         "\\",
                                         "\\u12",
                                         " ",
                                         "\n",
                                         "\x01",
                                         "\x7f",
                                         "\x80",
                                         "\xc3",
                                         "\xed\xa0\x80",
                                         "\xf0\x9f\x98",
                                         "e",
                                         "n",
                                         "null",
                                         "a",
                                         "0",
                                         "9",
                                         "-",
                                         "+",
                                         "."};
    size_t at = below(text.size() + 1), length = std::min(below(3), text.size() - at);
    std::string token = below(8) ? oneOf(tokens) : below(2) ? number() : std::string(1, '\0');
    if (below(10) == 0) // replace a digit by a number
      if (size_t digits = text.find_first_of("0123456789", at); digits != std::string::npos)
        at = digits, length = 1, token = number();
    text.replace(at, length, below(4) ? token : "");
  }

  /// Returns a header of up to four tensors, which is valid or has a mistake. Sets `dataSize` to the number of bytes of
  /// data.
  std::string header(int64_t &dataSize) {
    std::vector<std::string> members;
    dataSize = 0;
    for (size_t i = below(5); i > 0; --i) {
      auto [dtype, size] = *std::next(elementSizes.begin(), below(elementSizes.size()));
      int64_t begin = dataSize, bytes = size;
      std::string shape = list('[', ']', below(4), [&] {
        int64_t extent = below(4);
        bytes *= extent;
        return std::to_string(extent);
      });
      dataSize += bytes;
      std::string offsets = "[" + space() + std::to_string(begin) + "," + space() + std::to_string(dataSize) + "]";
      std::vector<std::string> fields = {"\"dtype\":" + space() + "\"" + dtype + "\"", "\"shape\":" + space() + shape,
                                         "\"data_offsets\":" + space() + offsets};
      if (below(4) == 0)
        fields.push_back("\"other\":" + value());
      if (below(30) == 0)
        fields.erase(fields.begin() + below(3));
      members.push_back((below(4) ? "\"" + std::string(1, 'a' + i) + "\"" : string()) + space() + ":" +
                        list('{', '}', fields.size(), [&, next = shuffled(fields)]() mutable {
                          std::string field = next.back();
                          next.pop_back();
                          return field;
                        }));
    }
    if (below(3) == 0)
      members.push_back("\"__metadata__\":" + value());
    members = shuffled(members);
    if (below(20) == 0)
      dataSize += int64_t(below(3)) - int64_t(dataSize > 0);
    return space() + list('{', '}', members.size(), [&, i = 0]() mutable { return members[i++]; }) + space();
  }

  std::vector<std::string> shuffled(std::vector<std::string> texts) {
    std::shuffle(texts.begin(), texts.end(), random);
    return texts;
  }
};

TEST(RandomHeaders, AreReadAsLlvmReadsThem) {
  Generator generator(1);
  TestContext context;
  int accepted = 0, refused = 0;
  for (int i = 0; i < 40000; ++i) {
    int64_t dataSize;
    std::string header = generator.header(dataSize), error;
    for (size_t changes = generator.below(3); changes > 0; --changes)
      generator.mutate(header);
    if (llvmMisreads(header))
      continue;
    std::optional<Tensors> expected = readWithLlvm(context, header, dataSize);
    std::optional<Tensors> found = readHeader(header, dataSize, error);
    std::string expectedError = context.take();
    ASSERT_EQ(found.has_value(), expected.has_value()) << header << "\n" << error << "\n" << expectedError;
    ASSERT_TRUE(found == expected) << header;
    ++(found ? accepted : refused);
  }
  EXPECT_GT(accepted, 10000);
  EXPECT_GT(refused, 10000);
}

/// The parser in C must accept the JSON texts that LLVM accepts. For other texts, it must report the same error at the
/// same position.
TEST(RandomHeaders, AreParsedAsLlvmParsesThem) {
  Generator generator(2);
  TestContext context;
  int accepted = 0, refused = 0;
  for (int i = 0; i < 40000; ++i) {
    std::string text = generator.space() + generator.value() + generator.space();
    for (size_t changes = generator.below(4); changes > 0; --changes)
      generator.mutate(text);
    if (llvmMisreads(text))
      continue;
    (void)parseJsonObject(UnknownLoc::get(&context), text);
    std::string expected = context.take();
    if (expected == "expected a JSON object\n")
      expected = "";
    char error[1000] = "";
    heddle_json json;
    std::vector<char> bytes(text.begin(), text.end()); // so that AddressSanitizer finds reads beyond the text
    bool good = heddle_json_check(bytes.data(), bytes.size(), &json, error, sizeof(error));
    if (good)
      heddle_json_free(&json);
    // LLVM prints a 0 byte of a name as it is. The parser in C prints \u0000, since a 0 byte would end its message.
    size_t zero = 0;
    while ((zero = expected.find('\0')) != std::string::npos)
      expected.replace(zero, 1, "\\u0000");
    ASSERT_EQ(good ? "" : error + std::string("\n"), expected) << text;
    ++(good ? accepted : refused);
  }
  EXPECT_GT(accepted, 10000);
  EXPECT_GT(refused, 10000);
}

} // namespace

//===- gguf_reader_test.cpp - reading of GGUF files -----------------------===//

#include "Diagnostics.h"
#include "GgufWriter.h"
#include "TempDir.h"

#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

struct GgufReader : testing::Test {
  TestContext context;
  TempDir dir;

  FailureOr<GgufFile> read(const std::string &bytes) {
    return GgufFile::read(context, dir.write("model.gguf", bytes));
  }
  FailureOr<GgufFile> read(const GgufWriter &writer) { return read(writer.bytes()); }
  /// Returns the error about a file, which must not be valid.
  std::string errorOf(const std::string &bytes) {
    EXPECT_TRUE(failed(read(bytes)));
    return context.take();
  }
  std::string errorOf(const GgufWriter &writer) { return errorOf(writer.bytes()); }

  /// Returns a file with two keys and two tensors. The header without the keys has 24 bytes.
  static GgufWriter small() {
    GgufWriter writer;
    writer.set("a", uint32_t(7));
    writer.set("b", "text");
    writer.tensors = {{"first", {2, 3}, ggufF32, std::string(24, 'x')},
                      {"second", {2, 64}, ggufQ8, std::string(4 * 34, 'y')}};
    return writer;
  }
};

TEST_F(GgufReader, ReadsValuesOfAllKinds) {
  GgufWriter writer;
  auto word = [](auto number) { return ggufBytes(number); };
  writer.set("u8", GgufKind::UInt8, word(uint8_t(255)));
  writer.set("i8", GgufKind::Int8, word(int8_t(-1)));
  writer.set("u16", GgufKind::UInt16, word(uint16_t(65535)));
  writer.set("i16", GgufKind::Int16, word(int16_t(-2)));
  writer.set("u32", GgufKind::UInt32, word(uint32_t(4294967295)));
  writer.set("i32", GgufKind::Int32, word(int32_t(-3)));
  writer.set("f32", 0.5f);
  writer.set("bool", GgufKind::Bool, word(uint8_t(1)));
  writer.set("string", "a \"b\"");
  writer.set("u64", GgufKind::UInt64, word(uint64_t(UINT64_MAX)));
  writer.set("i64", GgufKind::Int64, word(int64_t(-4)));
  writer.set("f64", GgufKind::Float64, word(llvm::bit_cast<uint64_t>(0.25)));
  writer.set("words", GgufKind::Array,
             word(uint32_t(GgufKind::String)) + word(uint64_t(2)) + ggufText("one") + ggufText(""));
  writer.set("numbers", GgufKind::Array,
             word(uint32_t(GgufKind::UInt16)) + word(uint64_t(3)) + word(uint16_t(1)) + word(uint16_t(2)) +
                 word(uint16_t(3)));
  writer.set("none", GgufKind::Array, word(uint32_t(GgufKind::Float64)) + word(uint64_t(0)));
  for (uint32_t version : {2, 3}) {
    writer.version = version;
    FailureOr<GgufFile> file = read(writer);
    ASSERT_TRUE(succeeded(file)) << context.take();
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (const auto &[key, value] : file->getValues())
      stream << key << " " << *value.toJson() << "\n";
    EXPECT_EQ(text, "u8 255\ni8 -1\nu16 65535\ni16 -2\nu32 4294967295\ni32 -3\nf32 0.5\nbool true\n"
                    "string \"a \\\"b\\\"\"\nu64 18446744073709551615\ni64 -4\nf64 0.25\n"
                    "words [\"one\",\"\"]\nnumbers [1,2,3]\nnone []\n");
    EXPECT_EQ(file->get("i64"), llvm::json::Value(-4));
    EXPECT_EQ(file->get("missing"), llvm::json::Value(nullptr));
  }
}

TEST_F(GgufReader, TensorsAreRowMajorAndMapped) {
  for (uint32_t alignment : {32, 64}) {
    GgufWriter writer = small();
    writer.alignment = alignment;
    if (alignment != 32)
      writer.set("general.alignment", alignment);
    FailureOr<GgufFile> file = read(writer);
    ASSERT_TRUE(succeeded(file)) << context.take();
    ASSERT_EQ(file->getTensors().size(), 2u);
    const GgufTensor &first = file->getTensors()[0], &second = file->getTensors()[1];
    EXPECT_EQ(first.name, "first");
    EXPECT_EQ(first.type.name, "F32");
    EXPECT_EQ(ArrayRef<int64_t>(first.shape), ArrayRef<int64_t>({2, 3}));
    EXPECT_EQ(first.bytes, std::string(24, 'x'));
    EXPECT_EQ(second.bytes, std::string(4 * 34, 'y'));
    EXPECT_EQ((second.bytes.data() - first.bytes.data()) % alignment, 0);
    WeightStore store;
    ASSERT_TRUE(succeeded(file->addTo(store, "p."))) << context.take();
    Builder b(&context);
    EXPECT_EQ(store.find("p.first")->type, RankedTensorType::get({2, 3}, b.getF32Type()));
    EXPECT_EQ(store.find("p.second")->type, RankedTensorType::get({2, 68}, b.getI8Type()));
    EXPECT_EQ(store.find("p.second")->bytes.data(), second.bytes.data());
    EXPECT_TRUE(failed(file->addTo(store, "p.")));
    EXPECT_EQ(context.take(), "tensor 'first': another tensor has this name\n");
  }
}

TEST_F(GgufReader, RefusesFilesThatAreNotGguf) {
  std::string file = small().bytes();
  EXPECT_EQ(errorOf(""), "offset 0: header: expected a GGUF file, which begins with GGUF\n");
  EXPECT_EQ(errorOf("GGML" + file.substr(4)), "offset 0: header: expected a GGUF file, which begins with GGUF\n");
  auto withVersion = [&](uint32_t version) { return "GGUF" + ggufBytes(version) + file.substr(8); };
  EXPECT_EQ(errorOf(withVersion(1)), "offset 4: header: version 1 is not supported, only 2 and 3\n");
  EXPECT_EQ(errorOf(withVersion(4)), "offset 4: header: version 4 is not supported, only 2 and 3\n");
  EXPECT_EQ(errorOf(withVersion(0)), "offset 4: header: version 0 is not supported, only 2 and 3\n");
  EXPECT_EQ(errorOf(withVersion(3 << 24)), "offset 4: header: big-endian files are not supported\n");
}

TEST_F(GgufReader, RefusesCountsThatDoNotFit) {
  GgufWriter writer = small();
  std::string size = std::to_string(writer.bytes().size());
  for (uint64_t count : {uint64_t(1000), UINT64_MAX}) {
    std::string number = std::to_string(count);
    writer = small();
    writer.tensorCount = count;
    std::string rest = " do not fit into the file, which has " + size + " bytes\n";
    EXPECT_EQ(errorOf(writer), "offset 8: header: " + number + " tensors" + rest);
    writer = small();
    writer.keyCount = count;
    EXPECT_EQ(errorOf(writer), "offset 16: header: " + number + " keys" + rest);
    writer = small();
    writer.set("a", GgufKind::Array, ggufBytes(uint32_t(GgufKind::String)) + ggufBytes(count));
    EXPECT_EQ(errorOf(writer).substr(0, 44), ("offset 41: key 'a': " + number + " elements do not fit").substr(0, 44));
    writer = small();
    writer.keys[1].bytes = ggufBytes(count);
    EXPECT_EQ(errorOf(writer).substr(0, 65),
              ("offset 62: key 'b': a string of " + number + " bytes goes beyond the end of the file").substr(0, 65));
  }
}

TEST_F(GgufReader, RefusesInvalidKeys) {
  auto errorWith = [&](StringRef name, GgufKind kind, const std::string &bytes) {
    GgufWriter writer = small();
    writer.set(name, kind, bytes);
    return errorOf(writer);
  };
  GgufWriter twice = small();
  twice.keys.push_back(twice.keys[0]);
  EXPECT_EQ(errorOf(twice), "offset 66: key 'a': the key occurs twice\n");
  EXPECT_EQ(errorWith("a", GgufKind(13), ""), "offset 33: key 'a': the kind of value 13 is not known\n");
  EXPECT_EQ(errorWith("a", GgufKind::Bool, "\2"), "offset 37: key 'a': expected a boolean, 0 or 1, found 2\n");
  auto array = [](uint32_t element) { return ggufBytes(element) + ggufBytes(uint64_t(2)); };
  EXPECT_EQ(errorWith("a", GgufKind::Array, array(9)), "offset 37: key 'a': an array of arrays is not supported\n");
  EXPECT_EQ(errorWith("a", GgufKind::Array, array(99)), "offset 37: key 'a': the kind of element 99 is not known\n");
  EXPECT_EQ(errorWith("a", GgufKind::Array, array(7) + "\1\3"),
            "offset 50: key 'a': expected a boolean, 0 or 1, found 3\n");
  auto aligned = [&](uint32_t number) { return errorWith("general.alignment", GgufKind::UInt32, ggufBytes(number)); };
  EXPECT_EQ(aligned(0), "offset 95: key 'general.alignment': expected a power of two, found 0\n");
  EXPECT_EQ(aligned(24), "offset 95: key 'general.alignment': expected a power of two, found 24\n");
  EXPECT_EQ(errorWith("general.alignment", GgufKind::UInt64, ggufBytes(uint64_t(32))),
            "offset 95: key 'general.alignment': expected an unsigned integer of 32 bits\n");
}

TEST_F(GgufReader, RefusesInvalidTensors) {
  auto errorWith = [&](GgufWriter::Tensor first) {
    GgufWriter writer = small();
    writer.keys.clear();
    writer.tensors[0] = std::move(first);
    return errorOf(writer);
  };
  std::string bytes(24, 'x'), name(64, 'n');
  EXPECT_EQ(errorWith({name, {6}, ggufF32, bytes}),
            "offset 24: tensor number 1: expected a name of at most 63 bytes, found 64 bytes\n");
  EXPECT_EQ(errorWith({"second", {6}, ggufF32, bytes}), "offset 62: tensor 'second': another tensor has this name\n");
  EXPECT_EQ(errorWith({"t", {}, ggufF32, bytes}), "offset 33: tensor 't': expected 1 to 4 dimensions, found 0\n");
  EXPECT_EQ(errorWith({"t", {1, 1, 1, 1, 6}, ggufF32, bytes}),
            "offset 33: tensor 't': expected 1 to 4 dimensions, found 5\n");
  EXPECT_EQ(errorWith({"t", {0, 6}, ggufF32, bytes}), "offset 45: tensor 't': a dimension of 0 is not supported\n");
  EXPECT_EQ(errorWith({"t", {-1}, ggufF32, bytes}),
            "offset 37: tensor 't': a dimension of 18446744073709551615 is not supported\n");
  EXPECT_EQ(errorWith({"t", {int64_t(1) << 40, int64_t(1) << 40}, ggufF32, bytes}),
            "offset 45: tensor 't': a dimension of 1099511627776 is not supported\n");
  EXPECT_EQ(errorWith({"t", {6}, 4, bytes}), "offset 45: tensor 't': type number 4 is not known\n");
  EXPECT_EQ(errorWith({"t", {2, 33}, ggufQ8, bytes}),
            "offset 53: tensor 't': rows of 33 elements cannot be divided into blocks of 32, as the type Q8_0 requires\n");
  EXPECT_EQ(errorWith({"t", {6}, ggufF32, bytes, 4}),
            "offset 49: tensor 't': the offset 4 is not a multiple of the alignment, 32\n");
  for (uint64_t offset : {uint64_t(192), uint64_t(1) << 63})
    EXPECT_EQ(errorWith({"t", {6}, ggufF32, bytes, offset}),
              "offset 128: tensor 't': the tensor ends beyond the end of the file: it has 6 times 4 bytes at offset " +
                  std::to_string(offset) + " of the data, which have 168 bytes\n");
  EXPECT_EQ(errorWith({"t", {int64_t(1) << 62}, ggufF32, bytes}).substr(0, 75),
            "offset 128: tensor 't': the tensor ends beyond the end of the file: it has ");
  EXPECT_EQ(errorWith({"t", {6}, ggufF32, bytes, 32}), "offset 160: tensor 'second': the tensor overlaps tensor 't'\n");
  GgufWriter unsupported = small();
  unsupported.tensors.push_back({"t", {256}, 10, std::string(84, 'x')});
  FailureOr<GgufFile> file = read(unsupported);
  ASSERT_TRUE(succeeded(file)) << context.take();
  WeightStore store;
  EXPECT_TRUE(failed(file->addTo(store)));
  EXPECT_EQ(context.take(), "tensor 't': the type Q2_K is not supported, only F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, "
                            "Q4_K, Q5_K, Q6_K, IQ4_NL, BF16, MXFP4\n");
}

/// Every proper prefix of a file is refused with a message.
TEST_F(GgufReader, RefusesFilesThatAreCutOff) {
  std::string file = small().bytes();
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(errorOf(file.substr(0, size)), "") << size;
}

} // namespace

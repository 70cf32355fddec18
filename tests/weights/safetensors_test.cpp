//===- safetensors_test.cpp - reading and writing .safetensors files ------===//

#include "../import/Diagnostics.h"
#include "../import/TempDir.h"

#include "heddle/Safetensors.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

/// Returns the bytes of a file with this header and `dataSize` bytes of data.
std::string fileWith(StringRef header, unsigned dataSize) {
  std::string text(8, '\0');
  llvm::support::endian::write64le(text.data(), header.size());
  return text + header.str() + std::string(dataSize, '\1');
}

struct Safetensors : testing::Test {
  TestContext context;
  TempDir dir;

  /// Returns the error of reading a file with these bytes.
  std::string errorOf(StringRef bytes) {
    WeightStore store;
    EXPECT_TRUE(failed(readSafetensors(context, dir.write("bad.safetensors", bytes), store)));
    return context.take();
  }
};

TEST_F(Safetensors, WritesAndReadsBack) {
  Builder b(&context);
  std::vector<char> floats(24, 3), flags = {1, 0, 1};
  std::vector<std::pair<std::string, StoredTensor>> tensors = {
      {"flags", {RankedTensorType::get({3}, b.getI1Type()), flags}},
      {"a \"quoted\" name", {RankedTensorType::get({2, 3}, b.getF32Type()), floats}},
      {"scalar", {RankedTensorType::get({}, b.getBF16Type()), ArrayRef<char>(floats).take_front(2)}},
      {"empty", {RankedTensorType::get({0, 7}, b.getI64Type()), {}}}};
  std::string path = dir.file("out.safetensors");
  ASSERT_TRUE(succeeded(writeSafetensors(context, path, tensors))) << context.take();

  WeightStore store;
  ASSERT_TRUE(succeeded(readSafetensors(context, path, store))) << context.take();
  EXPECT_EQ(store.names().size(), tensors.size());
  for (const auto &[name, tensor] : tensors) {
    const StoredTensor *found = store.find(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->type, tensor.type);
    EXPECT_EQ(found->bytes, tensor.bytes);
  }
}

TEST_F(Safetensors, FailedWritesKeepTheOldFile) {
  Builder b(&context);
  std::vector<char> bytes(4);
  std::string path = dir.write("out.safetensors", "old");
  auto type = RankedTensorType::get({4}, b.getIntegerType(4)); // the format has no element type i4
  EXPECT_TRUE(failed(writeSafetensors(context, path, {{"x", {type, bytes}}})));
  EXPECT_EQ(context.take(), "tensor 'x': a safetensors file cannot contain elements of type 'i4'\n");
  EXPECT_EQ((*llvm::MemoryBuffer::getFile(path))->getBuffer(), "old");
  EXPECT_TRUE(failed(writeSafetensors(context, dir.file("none/out.safetensors"), {})));
  EXPECT_NE(context.take().find("cannot write the file"), std::string::npos);
}

TEST_F(Safetensors, RefusesWrongSizesOfHeadersAndData) {
  EXPECT_EQ(errorOf(""), "expected at least 8 bytes, found 0\n");
  EXPECT_EQ(errorOf(std::string(8, '\xff')), "expected a header of at most 100000000 bytes, found "
                                             "18446744073709551615: not a .safetensors file?\n");
  EXPECT_EQ(errorOf(fileWith("{}", 0).substr(0, 9)), "expected a header of 2 bytes, found only 1\n");
  EXPECT_EQ(errorOf(fileWith("{}", 3)), "expected 0 bytes of data, found 3\n");
}

TEST_F(Safetensors, RefusesBadHeaders) {
  EXPECT_NE(errorOf(fileWith("{", 0)).find("not valid JSON"), std::string::npos);
  EXPECT_EQ(errorOf(fileWith("[]", 0)), "expected a JSON object\n");
  EXPECT_EQ(errorOf(fileWith(std::string(1000000, '['), 0)), "the JSON text is nested more than 100 levels deep\n");
  EXPECT_EQ(errorOf(fileWith(R"({"x": 1})", 0)),
            "tensor 'x': expected an object with dtype, shape and data_offsets\n");
  EXPECT_EQ(errorOf(fileWith(R"({"x": {"shape": [1], "data_offsets": [0, 4]}})", 4)),
            "tensor 'x': its dtype is missing or not a string\n");
  EXPECT_EQ(errorOf(fileWith(R"({"x": {"dtype": "F4", "shape": [1], "data_offsets": [0, 4]}})", 4)),
            "tensor 'x': dtype 'F4' is not supported\n");
}

TEST_F(Safetensors, RefusesShapesAndOffsetsThatDoNotFit) {
  auto entry = [](StringRef shape, StringRef offsets) {
    return fileWith(
        (R"({"x": {"dtype": "F32", "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}}").str(), 8);
  };
  EXPECT_EQ(errorOf(entry("[-1]", "[0, 8]")), "tensor 'x': shape is not a list of sizes\n");
  EXPECT_EQ(errorOf(entry("[1.5]", "[0, 8]")), "tensor 'x': shape is not a list of sizes\n");
  for (const char *offsets : {"[8, 0]", "[0]"})
    EXPECT_EQ(errorOf(entry("[2]", offsets)),
              "tensor 'x': data_offsets is not a pair of offsets [BEGIN, END] with BEGIN <= END\n");
  EXPECT_EQ(errorOf(entry("[3]", "[0, 12]")),
            "tensor 'x': data_offsets [0, 12] reach beyond the file's 8 bytes of data\n");
  EXPECT_EQ(errorOf(entry("[3]", "[0, 8]")), "tensor 'x': expected 12 bytes for 'tensor<3xf32>', found 8\n");
  EXPECT_EQ(errorOf(entry("[4611686018427387904, 4]", "[0, 8]")), "tensor 'x': its shape is too large\n");
  EXPECT_EQ(errorOf(entry("[1]", "[0, 4]")), "expected 4 bytes of data, found 8\n");
  EXPECT_EQ(errorOf(entry("[1]", "[4, 8]")), "tensor 'x': expected its bytes to start at 0, found 4 (a gap)\n");
}

TEST_F(Safetensors, RefusesDuplicateNames) {
  // If duplicate names were accepted, the last entry would silently replace the first one.
  EXPECT_EQ(errorOf(fileWith(R"({"x": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]},
                                 "x": {"dtype": "I8", "shape": [4], "data_offsets": [0, 4]}})",
                             4)),
            "the name 'x' occurs twice in one JSON object\n");
  EXPECT_EQ(errorOf(fileWith(R"({"\"é": {"dtype": "U8", "shape": [4], "shape": [4], "data_offsets": [0, 4]}})", 4)),
            "the name 'shape' occurs twice in one JSON object\n");
  EXPECT_EQ(errorOf(fileWith(R"({"é\"": 1, "y": {"é\"": [{"a": 1}, {"a": "a"}]}, "\u00e9\"": 1})", 0)),
            "the name 'é\"' occurs twice in one JSON object\n");
}

TEST_F(Safetensors, RefusesOverlaps) {
  EXPECT_EQ(errorOf(fileWith(R"({"x": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]},
                                 "y": {"dtype": "U8", "shape": [3], "data_offsets": [3, 6]}})",
                             6)),
            "tensor 'y': expected its bytes to start at 4, found 3 (an overlap)\n");
}

// A special file such as /dev/zero has no size and may never end.
TEST_F(Safetensors, RefusesMissingAndSpecialFiles) {
  WeightStore store;
  EXPECT_TRUE(failed(readSafetensors(context, dir.file("none"), store)));
  EXPECT_EQ(context.take(), "cannot read the file: No such file or directory\n");
  EXPECT_TRUE(failed(readSafetensors(context, "/dev/zero", store)));
  EXPECT_EQ(context.take(), "not a regular file\n");
}

} // namespace

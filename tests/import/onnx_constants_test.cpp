//===- onnx_constants_test.cpp - constants and weights of ONNX files ------===//
//
// The importer computes everything that depends only on constants and shapes. It reads weights from the file or from
// files of external data, whose paths it must check, because a file may be of unknown origin.
//
//===----------------------------------------------------------------------===//

#include "OnnxBuilder.h"

using onnx::TensorProto;

namespace {

using OnnxConstants = OnnxTest;
using Doubles = std::vector<double>;

/// Returns the bytes of the floats, as a file of external data contains them.
std::string bytesOf(const std::vector<float> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float));
}

TEST_F(OnnxConstants, ShapeArithmeticLeavesNoOperations) {
  // The result y is x, reshaped to [3, 2, -1]. As in models of PyTorch's exporter, nodes compute the 3 from the shape
  // of x.
  OnnxBuilder b;
  b.input("x", {3, 8});
  b.output("y");
  b.ints("zero", {}, {0});
  b.ints("axes", {1}, {0});
  b.ints("two", {1}, {2});
  b.ints("rest", {1}, {-1});
  b.node("Shape", {"x"}, {"shape"});
  b.node("Gather", {"shape", "zero"}, {"rows"});
  b.node("Unsqueeze", {"rows", "axes"}, {"rows1"});
  b.node("Concat", {"rows1", "two", "rest"}, {"wanted"});
  OnnxBuilder::set(*b.graph().mutable_node(3), "axis", int64_t(0));
  b.node("Reshape", {"x", "wanted"}, {"y"});
  std::string text = textOf(b);
  EXPECT_HAS(text, "output_shape [3, 2, 4]");
  EXPECT_FALSE(llvm::StringRef(text).contains("arith.constant")) << text;
}

TEST_F(OnnxConstants, ConstantMasksAreComputedAtImport) {
  // The causal mask is where(rows >= columns, 0, -inf). Its rows [3, 1] and columns [3] contain the numbers 0, 1, 2.
  OnnxBuilder b;
  b.input("x", {3, 3});
  b.output("y");
  b.ints("start", {}, {0});
  b.ints("limit", {}, {3});
  b.ints("step", {}, {1});
  b.ints("axes", {1}, {1});
  b.floats("keep", {}, {0});
  b.floats("drop", {}, {-INFINITY});
  b.node("Range", {"start", "limit", "step"}, {"i"});
  b.node("Unsqueeze", {"i", "axes"}, {"row"});
  b.node("GreaterOrEqual", {"row", "i"}, {"causal"});
  b.node("Where", {"causal", "keep", "drop"}, {"mask"});
  b.node("Add", {"x", "mask"}, {"y"});
  EXPECT_HAS(textOf(b), "arith.addf %arg0, %cst");
  Doubles expected = {1, -INFINITY, -INFINITY, 4, 5, -INFINITY, 7, 8, 9};
  EXPECT_EQ(numbers(run(b).at("y")), expected);
}

TEST_F(OnnxConstants, EqualMasksOfAllSentencesAreStoredOnce) {
  // A causal mask is expanded to two sentences, and three heads of each sentence use it.
  OnnxBuilder b;
  b.input("x", {2, 3, 3, 3});
  b.ints("sentences", {4}, {2, 1, 3, 3});
  b.ints("row", {3, 1}, {0, 1, 2});
  b.ints("column", {3}, {0, 1, 2});
  b.floats("keep", {}, {0});
  b.floats("drop", {}, {-5});
  b.node("GreaterOrEqual", {"row", "column"}, {"causal"});
  b.node("Expand", {"causal", "sentences"}, {"each"});
  b.node("Where", {"each", "keep", "drop"}, {"mask"});
  b.node("Add", {"x", "mask"}, {"y"});
  b.node("Identity", {"mask"}, {"z"});
  b.output("y");
  b.output("z");
  std::string text = textOf(b);
  EXPECT_HAS(text, "tensor<3x3xf32>\n"); // the only constant
  EXPECT_HAS(text, "outs(%0 : tensor<2x1x3x3xf32>) dimensions = [0, 1]");
  EXPECT_HAS(text, "tensor<2x3x3x3xf32>) dimensions = [0, 1]");
  auto results = run(b);
  Doubles mask = {0, -5, -5, 0, 0, -5, 0, 0, 0}, x, z;
  for (int i = 0; i < 54; ++i)
    x.push_back(i + 1 + mask[i % 9]);
  for (int i = 0; i < 18; ++i)
    z.push_back(mask[i % 9]);
  EXPECT_EQ(numbers(results.at("y")), x);
  EXPECT_EQ(numbers(results.at("z")), z);
}

/// An initializer becomes a weight, but an initializer of one float becomes a constant in the code.
TEST_F(OnnxConstants, InitializersAreWeights) {
  OnnxBuilder b;
  b.input("x", {2, 2});
  b.output("y");
  b.floats("w", {2, 2}, {1, 2, 3, 4});
  b.floats("one", {}, {1});
  b.node("Add", {"x", "w"}, {"sum"});
  b.node("Add", {"sum", "one"}, {"y"});
  std::string text = textOf(b);
  EXPECT_HAS(text, "heddle.weight \"w\" : tensor<2x2xf32>");
  EXPECT_HAS(text, "arith.constant dense<1.000000e+00> : tensor<2x2xf32>");
  EXPECT_EQ(numbers(run(b).at("y")), (Doubles{3, 5, 7, 9}));
}

TEST_F(OnnxConstants, ReadsEveryElementType) {
  OnnxBuilder b;
  b.output("y");
  auto add = [&](const std::string &name, TensorProto::DataType type) -> TensorProto & {
    OnnxBuilder::set(b.node("Cast", {name}, {name + "f"}), "to", int64_t(TensorProto::FLOAT));
    return b.empty(name, {2}, type);
  };
  add("f64", TensorProto::DOUBLE).add_double_data(1), b.graph().mutable_initializer(0)->add_double_data(2);
  TensorProto &f16 = add("f16", TensorProto::FLOAT16);
  f16.add_int32_data(0x3c00), f16.add_int32_data(0xc000); // 1, -2
  TensorProto &bf16 = add("bf16", TensorProto::BFLOAT16);
  bf16.set_raw_data(std::string("\x80\x3f\x00\xc0", 4)); // also 1, -2
  TensorProto &i32 = add("i32", TensorProto::INT32);
  i32.add_int32_data(7), i32.add_int32_data(-8);
  TensorProto &boolean = add("bool", TensorProto::BOOL);
  boolean.add_int32_data(1), boolean.add_int32_data(0);
  b.node("Sum", {"f64f", "f16f", "bf16f", "i32f", "boolf"}, {"y"});
  std::string text = textOf(b);
  EXPECT_HAS(text, "heddle.weight \"f16\" : tensor<2xf16>");
  EXPECT_HAS(text, "arith.extf");
  EXPECT_EQ(numbers(run(b).at("y")), (Doubles{1 + 1 + 1 + 7 + 1, 2 - 2 - 2 - 8}));
}

struct ExternalData : OnnxTest {
  /// Returns the model y = x + w, where w [2, 2] is external data with these entries (location, offset, length).
  OnnxBuilder model(std::map<std::string, std::string> entries) {
    OnnxBuilder b;
    b.input("x", {2, 2});
    b.output("y");
    b.node("Add", {"x", "w"}, {"y"});
    TensorProto &w = b.empty("w", {2, 2}, TensorProto::FLOAT);
    w.set_data_location(TensorProto::EXTERNAL);
    for (const auto &[key, value] : entries) {
      auto &entry = *w.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    return b;
  }
};

TEST_F(ExternalData, IsReadFromItsOffset) {
  dir.write("w.bin", "head" + bytesOf({10, 20, 30, 40}) + "tail");
  OnnxBuilder b = model({{"location", "w.bin"}, {"offset", "4"}, {"length", "16"}});
  EXPECT_EQ(numbers(run(b).at("y")), (Doubles{11, 22, 33, 44}));
  EXPECT_EQ(numbers(run(model({{"location", "./w.bin"}, {"offset", "4"}})).at("y")), (Doubles{11, 22, 33, 44}));
}

TEST_F(ExternalData, InvalidEntriesAreRefused) {
  dir.write("w.bin", bytesOf({1, 2, 3, 4}));
  auto errorOfEntries = [&](std::map<std::string, std::string> entries) { return errorOf(model(entries)); };
  const std::string inside = "must be a relative path inside the model's folder";
  EXPECT_HAS(errorOfEntries({}), "initializer 'w': external data file '' " + inside);
  EXPECT_HAS(errorOfEntries({{"location", "/etc/passwd"}}), inside);
  EXPECT_HAS(errorOfEntries({{"location", "a/../../w.bin"}}), inside);
  EXPECT_HAS(errorOfEntries({{"location", "none.bin"}}), "cannot be found in the model's folder");
  EXPECT_HAS(errorOfEntries({{"location", "w.bin"}, {"offset", "1"}}),
             "external data needs 16 bytes from offset 1, but 'w.bin' has only 16 bytes in total");
  EXPECT_HAS(errorOfEntries({{"location", "w.bin"}, {"offset", "18446744073709551615"}}), "needs 16 bytes");
  EXPECT_HAS(errorOfEntries({{"location", "w.bin"}, {"offset", "-1"}}),
             "external data has offset '-1', expected a number of bytes");
  EXPECT_HAS(errorOfEntries({{"location", "w.bin"}, {"length", "12"}}), "has length 12, expected 16 bytes");
  std::error_code failed = llvm::sys::fs::create_directory(dir.file("folder"));
  ASSERT_FALSE(failed);
  EXPECT_HAS(errorOfEntries({{"location", "folder"}}), "is not a regular file");

  // A symbolic link in the model's folder must not lead to a file outside of the folder.
  TempDir elsewhere;
  std::string secret = elsewhere.write("secret", bytesOf({1, 2, 3, 4}));
  ASSERT_FALSE(llvm::sys::fs::create_link(secret, dir.file("link.bin")));
  EXPECT_HAS(errorOfEntries({{"location", "link.bin"}}), "leads outside the model's folder");
}

} // namespace

//===- mlir_sizes_test.cpp - dynamic sizes of .mlir files -----------------===//
//
// The attribute heddle.dims of an argument names its dynamic dimensions. The importer replaces each named size by a
// number that the user gives or, if the size lies in a range, by a placeholder such as 4001. It must refuse a file that
// is invalid for some of the sizes.
//
//===----------------------------------------------------------------------===//

#include "ExpectHas.h"
#include "MlirTest.h"

using namespace heddle;
using namespace mlir;

namespace {


struct MlirSizes : MlirFile {};

TEST_F(MlirSizes, FixedSizesCannotBeChanged) {
  std::string text = "func.func @main(%x: tensor<2xf32> {heddle.dims = [\"n\"]}) -> tensor<2xf32> {"
                     "return %x : tensor<2xf32> }";
  options.dims["n"] = 2;
  EXPECT_TRUE(succeeded(import(text)));
  options.dims["n"] = 3;
  EXPECT_EQ(errorOf(text), "n is 2 in this file, not 3\n");
  EXPECT_TRUE(wrongUsage);
  options.dims.clear();
  options.dims["m"] = 3;
  EXPECT_EQ(errorOf(text), "the model has no dimension 'm'; its dimensions are n\n");
}

TEST_F(MlirSizes, NamedSizesMustBeGiven) {
  std::string text = (*llvm::MemoryBuffer::getFile(HEDDLE_TEST_DATA "/../data/mlir/sizes.mlir"))->getBuffer().str();
  options.dims["batch"] = 2;
  options.dims["length"] = 5;
  std::string result = printed(text);
  EXPECT_EQ(result.find('?'), std::string::npos) << result;
  EXPECT_NE(result.find("-> (tensor<10x4xf32> {heddle.name = \"out0\"}, tensor<2x7x6xf32> {heddle.name = \"out1\"})"),
            std::string::npos)
      << result;
  options.dims.erase("batch");
  EXPECT_EQ(errorOf(text), "the model leaves sizes open: batch; give them, for example --dim batch=1\n");
  EXPECT_TRUE(wrongUsage);
  for (int64_t wrong : {int64_t(0), (int64_t(1) << 31) + 1}) {
    options.dims["batch"] = wrong;
    EXPECT_EQ(errorOf(text), "batch: expected 1 to 2147483648, found " + std::to_string(wrong) + "\n");
  }
  options.mayBeEmpty = true;
  EXPECT_EQ(errorOf(text), "batch: expected 0 to 2147483648, found 2147483649\n");
  options.mayBeEmpty = false;
  options.dims["batch"] = options.dims["length"] = int64_t(1) << 31;
  EXPECT_EQ(errorOf(text), "the tensor is too large: 'tensor<2147483648x2147483648x6xf32>'\n");
}

TEST_F(MlirSizes, SizesThatDoNotFollowFromArgumentsAreRefused) {
  std::string begin = "func.func @main(%x: tensor<?xf32> {heddle.dims = [\"n\"]}, %i: tensor<1xindex>) -> tensor<?xf32> {"
                      "%c0 = arith.constant 0 : index\n";
  options.dims["n"] = 4;
  // The size is computed from the elements of a tensor.
  EXPECT_EQ(
      errorOf(begin + "%d = tensor.extract %i[%c0] : tensor<1xindex> %e = tensor.empty(%d) : tensor<?xf32>"
                      "return %e : tensor<?xf32> }"),
      "'tensor.empty': its dynamic sizes cannot be derived from the sizes of the arguments, found 'tensor<?xf32>'\n");
  for (const char *size : {"%c-1 = arith.constant -1 : index %d = arith.muli %n, %c-1 : index",
                           "%min = arith.constant -9223372036854775808 : index %d = arith.ori %n, %min : index"})
    EXPECT_EQ(
        errorOf(begin + "%n = tensor.dim %x, %c0 : tensor<?xf32>" + size +
                " %e = tensor.empty(%d) : tensor<?xf32> return %e : tensor<?xf32> }"),
        "'tensor.empty': its dynamic sizes cannot be derived from the sizes of the arguments, found 'tensor<?xf32>'\n");
  EXPECT_EQ(errorOf(begin + "%d = arith.constant 9223372036854775807 : index %p = tensor.pad %x low[%d] high[%d] { "
                            "^bb0(%j: index): %z = arith.constant 0.0 : f32 tensor.yield %z : f32 } : tensor<?xf32> to "
                            "tensor<?xf32> return %p : tensor<?xf32> }"),
            "padding whose width is computed is not supported\n");
  // The file is invalid for n = 4, because it adds x [n] to a tensor of 3 elements.
  EXPECT_EQ(errorOf(begin + "%y = arith.constant dense<1.0> : tensor<3xf32> %z = tensor.cast %y : tensor<3xf32> to "
                            "tensor<?xf32> %s = arith.addf %x, %z : tensor<?xf32> return %s : tensor<?xf32> }"),
            "'arith.addf' has extents '4' and '3', which must be equal\n");
}

TEST_F(MlirSizes, NamedSizesMayLieInARange) {
  auto model = [](const char *body) {
    return std::string("func.func @main(%x: tensor<?x67xf32> {heddle.dims = [\"n\", \"\"]}) -> tensor<?x67xf32> {"
                       "%c0 = arith.constant 0 : index %n = tensor.dim %x, %c0 : tensor<?x67xf32>\n") +
           body + "\nreturn %y : tensor<?x67xf32> }";
  };
  options.ranges = {{"n", 1, 9}};
  std::string result = printed(model("%y = math.tanh %x : tensor<?x67xf32>"));
  EXPECT_NE(result.find("tensor<4001x67xf32>"), std::string::npos) << result;
  // Each call evaluates a comparison with the size, and selects one of two results.
  result = printed(model("%c5 = arith.constant 5 : index %few = arith.cmpi ult, %n, %c5 : index "
                         "%z = math.tanh %x : tensor<?x67xf32> %y = arith.select %few, %x, %z : tensor<?x67xf32>"));
  for (const char *part : {"heddle.size \"n\"", "arith.cmpi ult", "arith.select"})
    EXPECT_NE(result.find(part), std::string::npos) << part << " in " << result;
}

TEST_F(MlirSizes, ShapesThatFitOnlySomeSizesAreRefused) {
  auto model = [](const char *body) {
    return std::string("func.func @main(%x: tensor<?x8xf32> {heddle.dims = [\"n\", \"\"]}, %z: tensor<?x8xf32> "
                       "{heddle.dims = [\"m\", \"\"]}) -> tensor<?x8xf32> {"
                       "%c0 = arith.constant 0 : index %c2 = arith.constant 2 : index %c3 = arith.constant 3 : index "
                       "%n = tensor.dim %x, %c0 : tensor<?x8xf32>\n") +
           body + "\nreturn %y : tensor<?x8xf32> }";
  };
  options.ranges = {{"n", 3, 5}, {"m", 3, 5}};
  EXPECT_EQ(
      errorOf(model("%y = arith.addf %x, %z : tensor<?x8xf32>")),
      "'arith.addf': whether 'n - m' is 0 is not the same for all sizes: this is true at n=3 m=3, not at n=4 m=3\n");
  EXPECT_EQ(errorOf(model("%0 = tensor.extract_slice %x[0, 0] [4, 8] [1, 1] : tensor<?x8xf32> to tensor<4x8xf32> "
                          "%y = tensor.cast %0 : tensor<4x8xf32> to tensor<?x8xf32>")),
            "'tensor.extract_slice': whether '3 - n' is less than 0 is not the same for all sizes: this is true at n=4 "
            "m=3, not at n=3 m=3\n");
  options.ranges = {{"n", 3, 4}, {"m", 3, 5}};
  EXPECT_EQ(
      errorOf(model("%h = arith.divui %n, %c2 : index %0 = tensor.expand_shape %x [[0, 1], [2]] output_shape "
                    "[%h, 2, 8] : tensor<?x8xf32> into tensor<?x2x8xf32> %y = tensor.collapse_shape %0 [[0, 1], [2]] : "
                    "tensor<?x2x8xf32> into tensor<?x8xf32>")),
      "'tensor.expand_shape': whether 'n - 2 * (n floordiv 2)' is 0 is not the same for all sizes: this is true at n=4 "
      "m=3, not at n=3 m=3\n");
  options.ranges = {{"n", 3, 5}, {"m", 3, 5}};
  EXPECT_EQ(
      errorOf(model("%less = arith.subi %n, %c3 : index %few = arith.subi %less, %c2 : index %y = tensor.empty(%few) "
                    ": tensor<?x8xf32>")),
      "'tensor.empty': whether 'n - 5' is less than 0 is not the same for all sizes: this is true at n=3 m=3, not at "
      "n=5 m=3\n");
  // The importer cannot express this size as a function of n and m.
  EXPECT_EQ(
      errorOf(model("%d = arith.ori %n, %c3 : index %y = tensor.empty(%d) : tensor<?x8xf32>")),
      "'tensor.empty': its dynamic sizes cannot be derived from the sizes of the arguments, found 'tensor<?x8xf32>'\n");
}

TEST_F(MlirSizes, LoopsMustStayInsideTheirTensorsForAllSizes) {
  auto model = [](const std::string &map, const std::string &type = "?") {
    return "func.func @main(%x: tensor<" + type + "xf32> {heddle.dims = [\"n\"]}) -> tensor<4xf32> {\n"
           "%e = tensor.empty() : tensor<4xf32>\n"
           "%y = linalg.generic {indexing_maps = [affine_map<(i) -> (" + map + ")>, affine_map<(i) -> (i)>], "
           "iterator_types = [\"parallel\"]} ins(%x : tensor<" + type + "xf32>) outs(%e : tensor<4xf32>) {\n"
           "^bb0(%a: f32, %o: f32): linalg.yield %a : f32 } -> tensor<4xf32> return %y : tensor<4xf32> }";
  };
  options.ranges = {{"n", 1, 9}};
  for (const char *map : {"2", "i + 2", "i * 2", "i floordiv 2", "(i + 3) ceildiv 2", "i mod 2", "3 - i"}) {
    EXPECT_TRUE(failed(import(model(map)))) << map;
    EXPECT_HAS(context.take(), "'linalg.generic'") << map;
  }
  EXPECT_EQ(errorOf(model("2")),
            "'linalg.generic': whether '2 - n' is less than 0 is not the same for all sizes: this is true at "
            "n=3, not at n=1\n");
  options.ranges = {{"n", 7, 9}};
  for (const char *map : {"2", "i + 2", "i * 2", "i floordiv 2", "(i + 3) ceildiv 2", "i mod 2", "3 - i"})
    EXPECT_TRUE(succeeded(import(model(map)))) << map << context.take();
  // The verifier of MLIR checks only the first and the last iteration of a loop, but the importer checks all of them.
  options = {};
  EXPECT_EQ(errorOf(model("i mod 3", "2")),
            "'linalg.generic' may access elements outside of a dimension of extent '2'\n");
}

/// The errors of MLIR's verifiers contain types with placeholders, so the importer adds which size each placeholder
/// represents.
TEST_F(MlirSizes, ErrorsExplainPlaceholders) {
  options.ranges = {{"n", 1, 9}, {"m", 1, 9}};
  EXPECT_HAS(errorOf(R"(func.func @main(%x: tensor<1x2x?x8xf32> {heddle.dims = ["", "", "n", ""]},
      %c: tensor<?x4xf32> {heddle.dims = ["m", ""]}) -> tensor<1x2x?x8xf32> {
    %y = heddle.rotary_embedding %x, %c, %c : (tensor<1x2x?x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<1x2x?x8xf32>
    return %y : tensor<1x2x?x8xf32>
  })"), "997 is the placeholder for m");
}

TEST_F(MlirSizes, UnknownSizesAreRefused) {
  EXPECT_EQ(errorIn("%s = heddle.size \"s\""),
            "the file does not declare the size \"s\": its module has no heddle.sizes\n");
  std::string text = R"(module attributes {heddle.sizes = [{name = "n", low = 1, high = 9, placeholder = 31}]} {
    func.func @main(%x: tensor<31xf32>) -> tensor<31xf32> {
      %s = heddle.size "s"
      return %x : tensor<31xf32>
    }})";
  EXPECT_EQ(errorOf(text), "heddle.sizes: the file reads the size \"s\", which is not in this list\n");
}

/// A file that was saved after an import contains placeholders. A constant that equals a placeholder might have been
/// computed from the size, and would be wrong at other sizes.
TEST_F(MlirSizes, WarnsOfConstantsThatEqualPlaceholders) {
  std::string text = R"(module attributes {heddle.sizes = [{name = "n", low = 1, high = 9, placeholder = 31}]} {
    func.func @main(%x: tensor<31xf32>) -> tensor<31xf32> {
      %count = arith.constant dense<31.0> : tensor<31xf32>
      %other = arith.constant dense<32.0> : tensor<31xf32>
      %mean = arith.divf %x, %count : tensor<31xf32>
      %y = arith.addf %mean, %other : tensor<31xf32>
      return %y : tensor<31xf32>
    }})";
  EXPECT_TRUE(succeeded(import(text)));
  EXPECT_EQ(
      context.take(),
      "this constant is 31 at all sizes, although 31 is the placeholder for n in types; if the size is meant, import "
      "the model again\n");
}

/// The file names a dimension of %m `total` or s64. The operation that reads %m requires that the size of this
/// dimension is the number of keys, past + new, so the importer gives the dimension this sum as its name.
TEST_F(MlirSizes, OperationsDetermineTheSizesOfNamedDimensions) {
  auto dimsOf = [&](const char *body, const char *type) {
    std::string text = printed(std::string("func.func @main(%k: tensor<1x2x?x8xf32> {heddle.dims = [\"\", \"\", \"past\", \"\"]}, "
                                           "%n: tensor<1x2x?x8xf32> {heddle.dims = [\"\", \"\", \"new\", \"\"]}, %m: ") +
                               type + ") -> tensor<1x2x?x8xf32> {\n" + body + "\nreturn %y : tensor<1x2x?x8xf32> }");
    StringRef begin = StringRef(text).split("heddle.name = \"arg1\"").second.split("heddle.dims = [").second;
    return begin.split(']').first.str();
  };
  const char *concat = "%all = tensor.concat dim(2) %k, %n : (tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>\n";
  std::string attend = concat + std::string("%y = heddle.attention %n, %all, %all mask(%m) : (tensor<1x2x?x8xf32>, "
                                            "tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>, tensor<1x1x1x?xi1>) -> "
                                            "tensor<1x2x?x8xf32>");
  std::string add = concat + std::string("%y = arith.addf %all, %m : tensor<1x2x?x8xf32>");
  for (bool isRange : {false, true}) {
    options = {};
    if (isRange)
      options.ranges = {{"past", 1, 40}, {"new", 2, 9}};
    else
      options.dims = {{"past", 5}, {"new", 3}};
    std::string sum = isRange ? "\"past + new\"" : "\"new + past\"";
    EXPECT_EQ(dimsOf(attend.c_str(), "tensor<1x1x1x?xi1> {heddle.dims = [\"\", \"\", \"\", \"total\"]}"),
              "\"\", \"\", \"\", " + sum);
    EXPECT_EQ(dimsOf(add.c_str(), "tensor<1x2x?x8xf32> {heddle.dims = [\"\", \"\", \"s64\", \"\"]}"),
              "\"\", \"\", " + sum + ", \"\"");
  }
}

TEST_F(MlirSizes, LookupsStayInsideTheirTensorsForAllSizes) {
  std::string text = R"(func.func @main(%x: tensor<?xf32> {heddle.dims = ["n"]}, %i: tensor<4xi64>) -> tensor<4xf32> {
    %d = arith.addi %i, %i : tensor<4xi64>
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>],
      iterator_types = ["parallel"]} ins(INDEX : tensor<4xi64>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %c = arith.index_cast %in : i64 to index
      %v = tensor.extract %x[%c] : tensor<?xf32>
      linalg.yield %v : f32
    } -> tensor<4xf32>
    return %0 : tensor<4xf32> })";
  options.ranges = {{"n", 2, 9}};
  size_t place = text.find("INDEX");
  // The range of an index that is an input ends at the last position, the derived size n - 1. A computed index is
  // clamped to this position.
  std::string direct = printed(text.replace(place, 5, "%i"));
  EXPECT_NE(direct.find("name = \"n - 1\""), std::string::npos) << direct;
  EXPECT_EQ(direct.find("minsi"), std::string::npos) << direct;
  std::string computed = printed(text.replace(place, 2, "%d"));
  EXPECT_NE(computed.find("heddle.size \"n\""), std::string::npos) << computed;
  EXPECT_NE(computed.find("minsi"), std::string::npos) << computed;
}

} // namespace

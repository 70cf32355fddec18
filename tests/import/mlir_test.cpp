//===- mlir_test.cpp - .mlir files ----------------------------------------===//

#include "Diagnostics.h"
#include "TempDir.h"

#include "heddle/Import.h"
#include "heddle/Safetensors.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

const std::string data = std::string(HEDDLE_TEST_DATA) + "/../data";

struct MlirFile : testing::Test {
  TestContext context;
  TempDir dir;
  ImportOptions options;
  bool wrongUsage = false;

  MlirFile() { options.wrongUsage = &wrongUsage; }

  FailureOr<Model> import(StringRef text) { return importModel(context, dir.write("model.mlir", text), options); }

  std::string printed(StringRef text) {
    FailureOr<Model> model = import(text);
    EXPECT_TRUE(succeeded(model)) << context.take();
    std::string result;
    if (succeeded(model))
      llvm::raw_string_ostream(result) << **model->module;
    return result;
  }

  std::string errorOf(StringRef text) {
    EXPECT_TRUE(failed(import(text)));
    return context.take();
  }

  /// A function of one argument with this body.
  std::string errorIn(const std::string &body, const std::string &attributes = "") {
    return errorOf("func.func @main(%x: tensor<2xf32>" + attributes + ") -> tensor<2xf32> {\n" + body +
                   "\nreturn %x : tensor<2xf32>\n}");
  }
};

TEST_F(MlirFile, NamesWhatHasNoName) {
  std::string text = printed(R"(
    func.func @twice(%x: tensor<2xf32>, %y: tensor<2xf32> {heddle.name = "y"}) -> tensor<2xf32> {
      %0 = arith.addf %x, %y : tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  for (const char *part : {"@main(", "heddle.name = \"arg0\"", "heddle.name = \"y\"", "heddle.name = \"out\""})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST_F(MlirFile, ReadsWeightsBesideTheFile) {
  std::vector<char> bytes(8);
  auto type = RankedTensorType::get({2}, Float32Type::get(&context));
  ASSERT_TRUE(succeeded(writeSafetensors(context, dir.file("w.safetensors"), {{"w", {type, bytes}}})));
  std::string text = R"(module attributes {heddle.weight_files = ["w.safetensors"]} {
    func.func @main() -> tensor<2xf32> {
      %0 = heddle.weight "w" : tensor<2xf32>
      return %0 : tensor<2xf32>
    }})";
  FailureOr<Model> model = import(text);
  ASSERT_TRUE(succeeded(model)) << context.take();
  EXPECT_NE(model->weights.find("w"), nullptr);

  EXPECT_EQ(errorOf(StringRef(text).str().replace(text.find("\"w\""), 3, "\"v\"")),
            "'heddle.weight' op there is no weight 'v' in the files of heddle.weight_files\n");
  EXPECT_EQ(errorOf(StringRef(text).str().replace(text.find("w.safe"), 1, "v")),
            "cannot read the file: No such file or directory\n");
  EXPECT_EQ(errorOf(StringRef(text).str().replace(text.find("[\"w"), 17, "1")),
            "heddle.weight_files: expected a list of paths\n");
}

TEST_F(MlirFile, RefusesTextThatIsNoModule) {
  EXPECT_NE(errorOf("func.func @main("), "");
  EXPECT_EQ(errorOf(StringRef("a\0b", 3)), "expected text, found a byte of 0\n");
  EXPECT_EQ(errorOf("ML\xefR\r"), "MLIR bytecode is not read, only text\n");
  EXPECT_EQ(errorOf(std::string(1000000, '[')), "the text nests too deep\n");
  EXPECT_EQ(errorOf(""), "expected a function 'main' or one public function, found 0\n");
}

TEST_F(MlirFile, SurvivesFaultsOfTheParser) {
  std::string error = errorIn("%e = tensor.empty() : tensor<2x2xf32>\n%0 = linalg.broadcast ins(%x : tensor<2xf32>) "
                              "outs(%e : tensor<2x2xf32>) dimensions = [x]");
  EXPECT_NE(error.find("the text is not valid MLIR\n"), std::string::npos) << error;
}

TEST_F(MlirFile, RefusesOtherSignatures) {
  EXPECT_EQ(errorOf("func.func @main(%x: f32) -> f32 { return %x : f32 }"),
            "expected tensors as arguments and at least one as result, found '(f32) -> f32'\n");
  EXPECT_EQ(errorOf("func.func @main() { return }"),
            "expected tensors as arguments and at least one as result, found '() -> ()'\n");
  EXPECT_EQ(errorOf("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }"),
            "argument 0, 'tensor<?xf32>': dimension 0 has no name that --dim could give a size; name it by heddle.dims, a "
            "list with a name for each dimension, \"\" for those that are fixed\n");
  EXPECT_EQ(errorOf("func.func @main(%x: tensor<999999999999x9xf64>) -> tensor<1xf32> {\n"
                    "%0 = tensor.empty() : tensor<1xf32>\nreturn %0 : tensor<1xf32> }"),
            "a tensor too large, or of elements that are not supported: 'tensor<999999999999x9xf64>'\n");
  EXPECT_EQ(errorOf("func.func @main(%x: tensor<1xf32> {heddle.name = \"x\"}, %y: tensor<1xf32> {heddle.name = "
                    "\"x\"}) -> tensor<1xf32> { return %x : tensor<1xf32> }"),
            "heddle.name: expected a name of its own for each argument and result, found \"x\"\n");
}

TEST_F(MlirFile, RefusesTraitsOfAnotherForm) {
  EXPECT_EQ(errorIn("", " {heddle.dims = [\"a\", \"b\"]}"),
            "argument 0: heddle.dims: expected a name for each dimension\n");
  EXPECT_EQ(errorIn("", " {heddle.default = \"1\"}"), "argument 0: heddle.default: expected an integer\n");
  EXPECT_EQ(errorIn("", " {heddle.range = array<i64: 0, 1>}"),
            "argument 0: heddle.range: expected array<i64: LOW, HIGH> on an integer tensor\n");
}

TEST_F(MlirFile, RefusesWhatOnlyStagesSay) {
  EXPECT_EQ(errorOf("func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> attributes {heddle.stream_results} {"
                    " return %x : tensor<1xf32> }"),
            "heddle.stream_results: is left by a stage of the compiler, a file cannot have it\n");
  EXPECT_EQ(errorIn("", " {heddle.bool}"), "heddle.bool: is left by a stage of the compiler, a file cannot have it\n");
  EXPECT_EQ(errorIn("", " {heddle.nmae = \"x\"}"), "argument 0: heddle.nmae: there is no note of this name\n");
}

TEST_F(MlirFile, RefusesOperationsThatAreNoModel) {
  context.allowUnregisteredDialects();
  EXPECT_EQ(errorIn("\"other.op\"() : () -> ()"),
            "'other.op' cannot be part of a model, only operations of arith, func, heddle, linalg, math and tensor\n");
  EXPECT_EQ(errorIn("\"other.op\"() : () -> ()\n\"b.op\"() : () -> ()"), // every one is named
            "'other.op' cannot be part of a model, only operations of arith, func, heddle, linalg, math and tensor\n"
            "'b.op' cannot be part of a model, only operations of arith, func, heddle, linalg, math and tensor\n");
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += "\"other.op\"() : () -> ()\n";
  std::string errors = errorIn(many);
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 20); // but no flood
  EXPECT_EQ(errorIn("%0 = arith.constant dense_resource<none> : tensor<2xf32>"),
            "the file holds no resource 'none'\n");
}

TEST_F(MlirFile, RefusesPlacesThatAreComputed) {
  std::string index = "%c0 = arith.constant 0 : index\n%d = tensor.dim %x, %c0 : tensor<2xf32>\n";
  EXPECT_EQ(errorIn(index + "%0 = tensor.extract_slice %x[%d] [1] [1] : tensor<2xf32> to tensor<1xf32>"),
            "a slice whose place is computed is not supported\n");
  EXPECT_EQ(errorIn(index + "%0 = tensor.extract_slice %x[0] [2] [%d] : tensor<2xf32> to tensor<2xf32>"),
            "a slice whose place is computed is not supported\n");
  EXPECT_EQ(errorIn(index + "%f = arith.constant 0.0 : f32\n%0 = tensor.pad %x low[%d] high[%d] {\n^bb0(%i: index):\n"
                            "tensor.yield %f : f32\n} : tensor<2xf32> to tensor<8xf32>"),
            "padding whose width is computed is not supported\n");
  EXPECT_EQ(errorIn("%s = arith.constant dense<[2, 1]> : tensor<2xi64>\n"
                    "%0 = tensor.reshape %x(%s) : (tensor<2xf32>, tensor<2xi64>) -> tensor<2x1xf32>"),
            "a shape that is computed is not supported\n");
  EXPECT_EQ(errorIn("%i = arith.constant dense<0> : tensor<1x1xindex>\n"
                    "%0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<2xf32>, tensor<1x1xindex>) -> tensor<1x1xf32>"),
            "'tensor.gather' is not supported; tensor.extract in a linalg.generic looks up\n");
}

/// Functions @f0 .. @fN, each calling the next one `times` times, and @main that calls @f0.
std::string callChain(unsigned length, unsigned times) {
  std::string type = "tensor<2xf32>", text;
  auto define = [&](const std::string &name, const std::string &callee, unsigned calls) {
    text += "func.func " + std::string(name == "main" ? "" : "private ") + "@" + name + "(%x0: " + type + ") -> " +
            type + " {\n";
    for (unsigned i = 0; i < calls; ++i)
      text += "%x" + std::to_string(i + 1) + " = func.call @" + callee + "(%x" + std::to_string(i) + ") : (" + type +
              ") -> " + type + "\n";
    text += "return %x" + std::to_string(calls) + " : " + type + "\n}\n";
  };
  define("main", "f0", 1);
  for (unsigned i = 0; i < length; ++i)
    define("f" + std::to_string(i), "f" + std::to_string(i + 1), i + 1 == length ? 0 : times);
  return text;
}

TEST_F(MlirFile, InlinesCalls) {
  std::string text = printed(R"(
    func.func private @unused(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }
    func.func private @norm(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = heddle.rms_norm %x : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @norm(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = func.call @norm(%0) : (tensor<2xf32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    })");
  EXPECT_EQ(text.find("call"), std::string::npos) << text;
  EXPECT_EQ(StringRef(text).count("func.func"), 1u) << text;
  EXPECT_EQ(StringRef(text).count("heddle.rms_norm"), 2u) << text;
  text = printed(callChain(500, 1));
  EXPECT_EQ(StringRef(text).count("func.func"), 1u) << text;
}

TEST_F(MlirFile, RefusesCallsThatGoNowhere) {
  EXPECT_EQ(errorOf("func.func private @f() -> tensor<1xf32>\nfunc.func @main() -> tensor<1xf32> {\n"
                    "%0 = func.call @f() : () -> tensor<1xf32>\nreturn %0 : tensor<1xf32> }"),
            "the function has no body\n");
  EXPECT_EQ(errorIn("%0 = func.call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>"), "the function calls itself\n");
  EXPECT_EQ(errorOf(R"(
    func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })"),
            "the function calls itself\n");
  EXPECT_EQ(errorOf(callChain(64, 2)), "calls multiply: more than 1000000 operations when inlined\n");
  EXPECT_EQ(errorOf(callChain(2000, 1)), "calls nest too deep\n");
}

/// A lookup in 8 rows by an argument with these attributes, after this computation on it.
std::string lookup(const std::string &attributes, const std::string &index = "%i") {
  return R"(func.func @main(%x: tensor<8xf32>, %i: tensor<4xi64>)" + attributes + R"() -> tensor<4xf32> {
    %d = arith.addi %i, %i : tensor<4xi64>
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>],
      iterator_types = ["parallel"]} ins()" + index + R"( : tensor<4xi64>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %c = arith.index_cast %in : i64 to index
      %v = tensor.extract %x[%c] : tensor<8xf32>
      linalg.yield %v : f32
    } -> tensor<4xf32>
    return %0 : tensor<4xf32> })";
}

TEST_F(MlirFile, LookupsStayInside) {
  std::string direct = printed(lookup(""));
  EXPECT_NE(direct.find("heddle.range = array<i64: 0, 7>"), std::string::npos) << direct;
  EXPECT_EQ(direct.find("minsi"), std::string::npos) << direct;
  std::string computed = printed(lookup("", "%d"));
  EXPECT_EQ(computed.find("heddle.range"), std::string::npos) << computed;
  EXPECT_NE(computed.find("minsi"), std::string::npos) << computed;
  std::string proven = printed(lookup(" {heddle.range = array<i64: 0, 3>}", "%d"));
  EXPECT_EQ(proven.find("minsi"), std::string::npos) << proven;
  EXPECT_EQ(errorOf(lookup(" {heddle.range = array<i64: 0, 8>}")),
            "'tensor.extract' op argument 1 may be 0 to 8 by its heddle.range, but picks one of 8 elements\n");
}

TEST_F(MlirFile, InsertionsStayInside) {
  std::string text = printed(R"(func.func @main(%x: tensor<8xf32>, %i: tensor<1xi64>) -> tensor<8xf32> {
    %c0 = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %k = tensor.extract %i[%c0] : tensor<1xi64>
    %j = arith.index_cast %k : i64 to index
    %0 = tensor.insert %f into %x[%j] : tensor<8xf32>
    return %0 : tensor<8xf32> })");
  EXPECT_EQ(StringRef(text).count("minsi"), 1u) << text;
}

TEST_F(MlirFile, BooleansAreNoIndices) {
  // True is -1 as an index.
  std::string text = lookup("");
  for (size_t at; (at = text.find("i64")) != std::string::npos;)
    text.replace(at, 3, "i1");
  text = printed(text);
  EXPECT_EQ(text.find("heddle.range"), std::string::npos) << text;
  EXPECT_NE(text.find("maxsi"), std::string::npos) << text;
}

TEST_F(MlirFile, DivisionsDoNotTrap) {
  auto division = [&](const std::string &op, const std::string &constant) {
    std::string divisor = constant.empty() ? "" : "%y = arith.constant " + constant + " : tensor<2xi32>\n";
    return printed("func.func @main(%x: tensor<2xi32>, " + std::string(constant.empty() ? "%y" : "%z") +
                   ": tensor<2xi32>) -> tensor<2xi32> {\n" + divisor + "%0 = arith." + op +
                   " %x, %y : tensor<2xi32>\nreturn %0 : tensor<2xi32> }");
  };
  for (const char *op : {"divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"}) {
    EXPECT_EQ(StringRef(division(op, "")).count("arith.select"), 1u) << op;
    EXPECT_EQ(StringRef(division(op, "dense<[3, 0]>")).count("arith.select"), 1u) << op;
    EXPECT_EQ(StringRef(division(op, "dense<[3, -2]>")).count("arith.select"), 0u) << op;
  }
  EXPECT_EQ(StringRef(division("divsi", "dense<-1>")).count("arith.select"), 1u);
  EXPECT_EQ(StringRef(division("divui", "dense<-1>")).count("arith.select"), 0u);
}

TEST_F(MlirFile, SizesMayBeRepeatedOnly) {
  std::string text = "func.func @main(%x: tensor<2xf32> {heddle.dims = [\"n\"]}) -> tensor<2xf32> {"
                     "return %x : tensor<2xf32> }";
  options.dims["n"] = 2;
  EXPECT_TRUE(succeeded(import(text)));
  options.dims["n"] = 3;
  EXPECT_EQ(errorOf(text), "n is 2 in this file, not 3\n");
  EXPECT_TRUE(wrongUsage);
  options.dims.clear();
  options.dims["m"] = 3;
  EXPECT_EQ(errorOf(text), "the model has no dimension 'm'; it has n\n");
}

TEST_F(MlirFile, NamedSizesAreGiven) {
  std::string text = (*llvm::MemoryBuffer::getFile(data + "/mlir/sizes.mlir"))->getBuffer().str();
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
  options.dims["batch"] = options.dims["length"] = int64_t(1) << 31;
  EXPECT_EQ(errorOf(text), "a tensor too large: 'tensor<2147483648x2147483648x6xf32>'\n");
}

TEST_F(MlirFile, SizesThatDoNotFollowAreRefused) {
  std::string begin = "func.func @main(%x: tensor<?xf32> {heddle.dims = [\"n\"]}, %i: tensor<1xindex>) -> tensor<?xf32> {"
                      "%c0 = arith.constant 0 : index\n";
  options.dims["n"] = 4;
  // A size that is data.
  EXPECT_EQ(errorOf(begin + "%d = tensor.extract %i[%c0] : tensor<1xindex> %e = tensor.empty(%d) : tensor<?xf32>"
                            "return %e : tensor<?xf32> }"),
            "'tensor.empty': its sizes do not follow from those of the arguments, found 'tensor<?xf32>'\n");
  for (const char *size : {"%c-1 = arith.constant -1 : index %d = arith.muli %n, %c-1 : index",
                           "%min = arith.constant -9223372036854775808 : index %d = arith.ori %n, %min : index"})
    EXPECT_EQ(errorOf(begin + "%n = tensor.dim %x, %c0 : tensor<?xf32>" + size +
                      " %e = tensor.empty(%d) : tensor<?xf32> return %e : tensor<?xf32> }"),
              "'tensor.empty': its sizes do not follow from those of the arguments, found 'tensor<?xf32>'\n");
  EXPECT_EQ(errorOf(begin + "%d = arith.constant 9223372036854775807 : index %p = tensor.pad %x low[%d] high[%d] { "
                            "^bb0(%j: index): %z = arith.constant 0.0 : f32 tensor.yield %z : f32 } : tensor<?xf32> to "
                            "tensor<?xf32> return %p : tensor<?xf32> }"),
            "padding whose width is computed is not supported\n");
  // A file that is wrong for this size.
  EXPECT_EQ(errorOf(begin + "%y = arith.constant dense<1.0> : tensor<3xf32> %z = tensor.cast %y : tensor<3xf32> to "
                            "tensor<?xf32> %s = arith.addf %x, %z : tensor<?xf32> return %s : tensor<?xf32> }"),
            "'arith.addf' op requires the same type for all operands and results\n");
}

TEST_F(MlirFile, NamedSizesMayLieInARange) {
  auto model = [](const char *body) {
    return std::string("func.func @main(%x: tensor<?x67xf32> {heddle.dims = [\"n\", \"\"]}) -> tensor<?x67xf32> {"
                       "%c0 = arith.constant 0 : index %n = tensor.dim %x, %c0 : tensor<?x67xf32>\n") +
           body + "\nreturn %y : tensor<?x67xf32> }";
  };
  options.ranges = {{"n", 1, 9}};
  std::string result = printed(model("%y = math.tanh %x : tensor<?x67xf32>"));
  EXPECT_NE(result.find("tensor<4001x67xf32>"), std::string::npos) << result;
  // What is decided by the number each call decides, where it is data.
  result = printed(model("%c5 = arith.constant 5 : index %few = arith.cmpi ult, %n, %c5 : index "
                         "%z = math.tanh %x : tensor<?x67xf32> %y = arith.select %few, %x, %z : tensor<?x67xf32>"));
  for (const char *part : {"heddle.size \"n\"", "arith.cmpi ult", "arith.select"})
    EXPECT_NE(result.find(part), std::string::npos) << part << " in " << result;
}

TEST_F(MlirFile, WhatIsNotSoForAllSizesIsRefused) {
  auto model = [](const char *body) {
    return std::string("func.func @main(%x: tensor<?x8xf32> {heddle.dims = [\"n\", \"\"]}, %z: tensor<?x8xf32> "
                       "{heddle.dims = [\"m\", \"\"]}) -> tensor<?x8xf32> {"
                       "%c0 = arith.constant 0 : index %c2 = arith.constant 2 : index %c3 = arith.constant 3 : index "
                       "%n = tensor.dim %x, %c0 : tensor<?x8xf32>\n") +
           body + "\nreturn %y : tensor<?x8xf32> }";
  };
  options.ranges = {{"n", 3, 5}, {"m", 3, 5}};
  EXPECT_EQ(errorOf(model("%y = arith.addf %x, %z : tensor<?x8xf32>")),
            "'arith.addf': whether 'n - m' is 0 is not the same for all sizes: it is at n=3 m=3, not at n=4 m=3\n");
  EXPECT_EQ(errorOf(model("%0 = tensor.extract_slice %x[0, 0] [4, 8] [1, 1] : tensor<?x8xf32> to tensor<4x8xf32> "
                          "%y = tensor.cast %0 : tensor<4x8xf32> to tensor<?x8xf32>")),
            "'tensor.extract_slice': whether '3 - n' is less than 0 is not the same for all sizes: it is at n=4 m=3, not "
            "at n=3 m=3\n");
  options.ranges = {{"n", 3, 4}, {"m", 3, 5}};
  EXPECT_EQ(errorOf(model("%h = arith.divui %n, %c2 : index %0 = tensor.expand_shape %x [[0, 1], [2]] output_shape "
                          "[%h, 2, 8] : tensor<?x8xf32> into tensor<?x2x8xf32> %y = tensor.collapse_shape %0 [[0, 1], [2]] : "
                          "tensor<?x2x8xf32> into tensor<?x8xf32>")),
            "'tensor.expand_shape': whether 'n - 2 * (n floordiv 2)' is 0 is not the same for all sizes: it is at n=4 m=3, "
            "not at n=3 m=3\n");
  options.ranges = {{"n", 3, 5}, {"m", 3, 5}};
  EXPECT_EQ(errorOf(model("%less = arith.subi %n, %c3 : index %few = arith.subi %less, %c2 : index %y = tensor.empty(%few) "
                          ": tensor<?x8xf32>")),
            "'tensor.empty': whether 'n - 5' is less than 0 is not the same for all sizes: it is at n=3 m=3, not at n=5 m=3\n");
  // A size that is data stays one.
  EXPECT_EQ(errorOf(model("%d = arith.ori %n, %c3 : index %y = tensor.empty(%d) : tensor<?x8xf32>")),
            "'tensor.empty': its sizes do not follow from those of the arguments, found 'tensor<?x8xf32>'\n");
}

TEST_F(MlirFile, SizesAreThoseOfTheFile) {
  EXPECT_EQ(errorIn("%s = heddle.size \"s\""), "there is no size \"s\": the file has no heddle.sizes\n");
  std::string text = R"(module attributes {heddle.sizes = [{name = "n", low = 1, high = 9, stands = 31}]} {
    func.func @main(%x: tensor<31xf32>) -> tensor<31xf32> {
      %s = heddle.size "s"
      return %x : tensor<31xf32>
    }})";
  EXPECT_EQ(errorOf(text), "heddle.sizes: has no size \"s\"\n");
}

TEST_F(MlirFile, NumbersThatMayHaveMeantSizesAreTold) {
  std::string text = R"(module attributes {heddle.sizes = [{name = "n", low = 1, high = 9, stands = 31}]} {
    func.func @main(%x: tensor<31xf32>) -> tensor<31xf32> {
      %count = arith.constant dense<31.0> : tensor<31xf32>
      %other = arith.constant dense<32.0> : tensor<31xf32>
      %mean = arith.divf %x, %count : tensor<31xf32>
      %y = arith.addf %mean, %other : tensor<31xf32>
      return %y : tensor<31xf32>
    }})";
  EXPECT_TRUE(succeeded(import(text)));
  EXPECT_EQ(context.take(),
            "is the number 31 at all sizes, which stands for n in types; if it means that, import the model anew\n");
}

TEST_F(MlirFile, ADimensionIsWhatTheModelAsksOfIt) {
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

TEST_F(MlirFile, LookupsStayInsideForAllSizes) {
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
  // An input has the last place as a bound, which is a size of its own; what is computed is clamped by it.
  std::string direct = printed(text.replace(place, 5, "%i"));
  EXPECT_NE(direct.find("name = \"n - 1\""), std::string::npos) << direct;
  EXPECT_EQ(direct.find("minsi"), std::string::npos) << direct;
  std::string computed = printed(text.replace(place, 2, "%d"));
  EXPECT_NE(computed.find("heddle.size \"n\""), std::string::npos) << computed;
  EXPECT_NE(computed.find("minsi"), std::string::npos) << computed;
}

} // namespace

//===- mlir_test.cpp - .mlir files ----------------------------------------===//
//
// Tests what the importer accepts in a .mlir file, the errors for other files, and how it makes operations safe whose
// results are undefined in MLIR.
//
//===----------------------------------------------------------------------===//

#include "MlirTest.h"

#include "heddle/Safetensors.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace heddle;
using namespace mlir;

namespace {

TEST_F(MlirFile, GivesNamesToArgumentsAndResultsWithoutOne) {
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
            "'heddle.weight' op the files of heddle.weight_files contain no weight 'v'\n");
  EXPECT_EQ(errorOf(StringRef(text).str().replace(text.find("w.safe"), 1, "v")),
            "cannot read the file: No such file or directory\n");
  EXPECT_EQ(errorOf(StringRef(text).str().replace(text.find("[\"w"), 17, "1")),
            "heddle.weight_files: expected a list of paths\n");
}

/// If two weight files contain tensors of the same name, their prefixes in heddle.weight_prefixes make the names
/// unique.
TEST_F(MlirFile, WeightsOfOneNameHaveThePrefixOfTheirFile) {
  auto type = RankedTensorType::get({2}, Float32Type::get(&context));
  for (char file : {'a', 'b'}) {
    std::vector<char> bytes(8, file);
    ASSERT_TRUE(
        succeeded(writeSafetensors(context, dir.file(std::string(1, file) + ".safetensors"), {{"w", {type, bytes}}})));
  }
  auto textWith = [](const std::string &prefixes) {
    return "module attributes {heddle.weight_files = [\"a.safetensors\", \"b.safetensors\"]" + prefixes + R"(} {
    func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
      %0 = heddle.weight "w" : tensor<2xf32>
      %1 = heddle.weight "b/w" : tensor<2xf32>
      return %0, %1 : tensor<2xf32>, tensor<2xf32>
    }})";
  };
  FailureOr<Model> model = import(textWith(R"(, heddle.weight_prefixes = ["", "b/"])"));
  ASSERT_TRUE(succeeded(model)) << context.take();
  EXPECT_EQ(model->weights.find("w")->bytes.front(), 'a');
  EXPECT_EQ(model->weights.find("b/w")->bytes.front(), 'b');

  EXPECT_EQ(errorOf(textWith("")), "tensor 'w': another tensor has this name\n");
  EXPECT_EQ(errorOf(textWith(R"(, heddle.weight_prefixes = [""])")),
            "heddle.weight_prefixes: expected one prefix for each of the 2 heddle.weight_files, found 1\n");
  EXPECT_EQ(errorOf(textWith(", heddle.weight_prefixes = 1")), "heddle.weight_prefixes: expected a list of strings\n");
}

TEST_F(MlirFile, RefusesFilesThatAreNotMlir) {
  EXPECT_NE(errorOf("func.func @main("), "");
  EXPECT_EQ(errorOf(StringRef("a\0b", 3)), "expected MLIR text, found a byte with the value 0\n");
  EXPECT_EQ(errorOf("ML\xefR\r"), "MLIR bytecode is not supported, only MLIR text\n");
  EXPECT_EQ(errorOf(std::string(1000000, '[')), "brackets in the MLIR text are nested more than 200 levels deep\n");
  EXPECT_EQ(errorOf(""), "expected a function 'main', or exactly one public function with a body, found 0\n");
}

TEST_F(MlirFile, ReportsErrorsForWhichTheParserHasNoMessage) {
  std::string error = errorIn("%e = tensor.empty() : tensor<2x2xf32>\n%0 = linalg.broadcast ins(%x : tensor<2xf32>) "
                              "outs(%e : tensor<2x2xf32>) dimensions = [x]");
  EXPECT_NE(error.find("the text is not valid MLIR\n"), std::string::npos) << error;
}

TEST_F(MlirFile, RefusesOtherSignatures) {
  EXPECT_EQ(errorOf("func.func @main(%x: f32) -> f32 { return %x : f32 }"),
            "expected tensors as arguments and at least one as result, found '(f32) -> f32'\n");
  EXPECT_EQ(errorOf("func.func @main() { return }"),
            "expected tensors as arguments and at least one as result, found '() -> ()'\n");
  EXPECT_EQ(
      errorOf("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }"),
      "argument 0, 'tensor<?xf32>': dimension 0 is dynamic, but has no name, so --dim cannot set it; name it in the "
      "attribute heddle.dims, a list with one name for each dimension (\"\" for a fixed dimension)\n");
  EXPECT_EQ(errorOf("func.func @main(%x: tensor<999999999999x9xf64>) -> tensor<1xf32> {\n"
                    "%0 = tensor.empty() : tensor<1xf32>\nreturn %0 : tensor<1xf32> }"),
            "the tensor is too large, or its element type is not supported: 'tensor<999999999999x9xf64>'\n");
  EXPECT_EQ(errorOf("func.func @main(%x: tensor<1xf32> {heddle.name = \"x\"}, %y: tensor<1xf32> {heddle.name = "
                    "\"x\"}) -> tensor<1xf32> { return %x : tensor<1xf32> }"),
            "heddle.name: expected a unique name for each argument and result, found \"x\"\n");
}

TEST_F(MlirFile, RefusesInvalidAnnotationsOfArguments) {
  EXPECT_EQ(errorIn("", " {heddle.dims = [\"a\", \"b\"]}"),
            "argument 0: heddle.dims: expected a name for each dimension\n");
  EXPECT_EQ(errorIn("", " {heddle.default = \"1\"}"), "argument 0: heddle.default: expected an integer\n");
  EXPECT_EQ(errorIn("", " {heddle.range = array<i64: 0, 1>}"),
            "argument 0: heddle.range: expected array<i64: LOW, HIGH> on an integer tensor\n");
}

TEST_F(MlirFile, RefusesAnnotationsOfCompilerStages) {
  EXPECT_EQ(errorOf("func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> attributes {heddle.stream_results} {"
                    " return %x : tensor<1xf32> }"),
            "heddle.stream_results: this attribute is set by a stage of the compiler and not allowed in a file\n");
  EXPECT_EQ(errorIn("", " {heddle.bool}"),
            "heddle.bool: this attribute is set by a stage of the compiler and not allowed in a file\n");
  EXPECT_EQ(errorIn("", " {heddle.nmae = \"x\"}"), "argument 0: heddle.nmae: there is no annotation of this name\n");
}

TEST_F(MlirFile, RefusesOperationsOfOtherDialects) {
  context.allowUnregisteredDialects();
  EXPECT_EQ(errorIn("\"other.op\"() : () -> ()"),
            "'other.op' cannot be part of a model, only operations of arith, func, heddle, linalg, math and tensor\n");
  EXPECT_EQ(errorIn("\"other.op\"() : () -> ()\n\"b.op\"() : () -> ()"), // the error lists all such operations
            "'other.op' cannot be part of a model, only operations of arith, func, heddle, linalg, math and tensor\n"
            "'b.op' cannot be part of a model, only operations of arith, func, heddle, linalg, math and tensor\n");
  EXPECT_EQ(errorOf("func.func @main(%a: tensor<1x1x4xi8>, %w: tensor<1x4xi8>, %s: tensor<1x1xi32>)"
                    " -> tensor<1x1xi32> {"
                    " %0 = heddle.tile_product %a, %w into %s kind(#heddle.dot_bytes)"
                    " : tensor<1x1x4xi8>, tensor<1x4xi8>, tensor<1x1xi32> return %0 : tensor<1x1xi32> }"),
            "'heddle.tile_product' cannot be part of a model: stages of the compiler create it\n");
  EXPECT_EQ(errorOf("func.func @main(%x: tensor<8x8xf32>, %tile: tensor<4x4xf32>, %i: index) -> tensor<4x4xf32> {"
                    " %0 = heddle.tile_copy %x[%i, %i] into %tile"
                    " : tensor<8x8xf32>, tensor<4x4xf32> -> tensor<4x4xf32> return %0 : tensor<4x4xf32> }"),
            "'heddle.tile_copy' cannot be part of a model: stages of the compiler create it\n");
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += "\"other.op\"() : () -> ()\n";
  std::string errors = errorIn(many);
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 20); // the error lists at most 20 operations
  EXPECT_EQ(errorIn("%0 = arith.constant dense_resource<none> : tensor<2xf32>"),
            "the file does not contain the resource 'none'\n");
}

TEST_F(MlirFile, RefusesComputedOffsetsAndShapes) {
  std::string index = "%c0 = arith.constant 0 : index\n%d = tensor.dim %x, %c0 : tensor<2xf32>\n";
  EXPECT_EQ(errorIn(index + "%0 = tensor.extract_slice %x[%d] [1] [1] : tensor<2xf32> to tensor<1xf32>"),
            "a slice with computed offsets, sizes or strides is not supported\n");
  EXPECT_EQ(errorIn(index + "%0 = tensor.extract_slice %x[0] [2] [%d] : tensor<2xf32> to tensor<2xf32>"),
            "a slice with computed offsets, sizes or strides is not supported\n");
  EXPECT_EQ(errorIn(index + "%f = arith.constant 0.0 : f32\n%0 = tensor.pad %x low[%d] high[%d] {\n^bb0(%i: index):\n"
                            "tensor.yield %f : f32\n} : tensor<2xf32> to tensor<8xf32>"),
            "padding whose width is computed is not supported\n");
  EXPECT_EQ(errorIn("%s = arith.constant dense<[2, 1]> : tensor<2xi64>\n"
                    "%0 = tensor.reshape %x(%s) : (tensor<2xf32>, tensor<2xi64>) -> tensor<2x1xf32>"),
            "'tensor.reshape' is not supported, because its shape is an operand; use tensor.expand_shape or "
            "tensor.collapse_shape\n");
  EXPECT_EQ(
      errorIn("%i = arith.constant dense<0> : tensor<1x1xindex>\n"
              "%0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<2xf32>, tensor<1x1xindex>) -> tensor<1x1xf32>"),
      "'tensor.gather' is not supported; use tensor.extract in a linalg.generic\n");
}

/// Returns a module with @main, which calls @f0, and `length` functions @f0, @f1, ..., each of which calls the next one
/// `times` times. The last function calls none.
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

TEST_F(MlirFile, RefusesCallsThatCannotBeInlined) {
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
  EXPECT_EQ(errorOf(callChain(64, 2)), "inlining all calls would yield more than 1000000 operations\n");
  EXPECT_EQ(errorOf(callChain(2000, 1)), "a chain of calls has more than 1000 functions\n");
  // @main calls @f900 before @f0. The importer has then already counted the functions from @f900 on when it finds that
  // the chain from @f0 on is too long.
  std::string text = callChain(1800, 1),
              first = "%x1 = func.call @f0(%x0) : (tensor<2xf32>) -> tensor<2xf32>\nreturn %x1";
  size_t at = text.find(first);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, first.size(),
               "%x1 = func.call @f900(%x0) : (tensor<2xf32>) -> tensor<2xf32>\n"
               "%x2 = func.call @f0(%x1) : (tensor<2xf32>) -> tensor<2xf32>\nreturn %x2");
  EXPECT_EQ(errorOf(text), "a chain of calls has more than 1000 functions\n");
}

/// Returns a function that looks up 4 of the 8 elements of %x. The indices are `index`, which is either %i, an argument
/// with these attributes, or %d, which is %i + %i.
std::string lookup(const std::string &attributes, const std::string &index = "%i") {
  return R"(func.func @main(%x: tensor<8xf32>, %i: tensor<4xi64>)" + attributes + R"() -> tensor<4xf32> {
    %d = arith.addi %i, %i : tensor<4xi64>
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>],
      iterator_types = ["parallel"]} ins()" +
         index + R"( : tensor<4xi64>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: i64, %out: f32):
      %c = arith.index_cast %in : i64 to index
      %v = tensor.extract %x[%c] : tensor<8xf32>
      linalg.yield %v : f32
    } -> tensor<4xf32>
    return %0 : tensor<4xf32> })";
}

/// If the index is an argument, the argument gets a range, which each call checks. A computed index is clamped unless
/// the importer can prove that it is inside.
TEST_F(MlirFile, LookupsStayInsideTheirTensors) {
  std::string direct = printed(lookup(""));
  EXPECT_NE(direct.find("heddle.range = array<i64: 0, 7>"), std::string::npos) << direct;
  EXPECT_EQ(direct.find("minsi"), std::string::npos) << direct;
  std::string computed = printed(lookup("", "%d"));
  EXPECT_EQ(computed.find("heddle.range"), std::string::npos) << computed;
  EXPECT_NE(computed.find("minsi"), std::string::npos) << computed;
  std::string proven = printed(lookup(" {heddle.range = array<i64: 0, 3>}", "%d"));
  EXPECT_EQ(proven.find("minsi"), std::string::npos) << proven;
  EXPECT_EQ(
      errorOf(lookup(" {heddle.range = array<i64: 0, 8>}")),
      "'tensor.extract' op selects one of 8 elements by argument 1 of @main, whose attribute heddle.range allows 0 to "
      "8\n");
}

TEST_F(MlirFile, InsertionsStayInsideTheirTensors) {
  std::string text = printed(R"(func.func @main(%x: tensor<8xf32>, %i: tensor<1xi64>) -> tensor<8xf32> {
    %c0 = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %k = tensor.extract %i[%c0] : tensor<1xi64>
    %j = arith.index_cast %k : i64 to index
    %0 = tensor.insert %f into %x[%j] : tensor<8xf32>
    return %0 : tensor<8xf32> })");
  EXPECT_EQ(StringRef(text).count("minsi"), 1u) << text;
}

TEST_F(MlirFile, BooleanIndicesAreClamped) {
  // arith.index_cast extends the sign, so `true` becomes the index -1, which must be clamped.
  std::string text = lookup("");
  for (size_t at; (at = text.find("i64")) != std::string::npos;)
    text.replace(at, 3, "i1");
  text = printed(text);
  EXPECT_EQ(text.find("heddle.range"), std::string::npos) << text;
  EXPECT_NE(text.find("maxsi"), std::string::npos) << text;
}

/// If the divisor may be 0, or may be -1 in a signed division, the importer adds an arith.select that defines the
/// result. The parameter `constant` is the divisor; if it is empty, the divisor is an argument.
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

} // namespace

//===- derived_sizes_test.cpp - extents that are derived from sizes -------===//
//
// Some extents of a model are derived from a size: half of a length, a length that is rounded up to a multiple, or a
// length plus the result of a comparison. Modules with such extents, in the form that importers create, are compiled
// once and verified at many sizes.
//
//===----------------------------------------------------------------------===//

#include "CompiledRange.h"

#include "heddle/ParseMlir.h"

#include "DerivedSizes.h"
#include "Notes.h"

#include "mlir/Parser/Parser.h"

using namespace heddle;

namespace {
const SizeExpression s = SizeExpression::size(0);

/// A model with the size s and sizes that are derived from s.
struct Graph {
  std::vector<SizeExpression> derived; // the derived sizes
  std::vector<int64_t> placeholders;   // the placeholder of s in each set of placeholders
  /// Returns the text of @main. The argument contains the numbers that represent s and the derived sizes in types.
  std::function<std::string(llvm::ArrayRef<int64_t>)> write;
};

struct ComputedExtents : QuotedRanges {
  static constexpr int64_t low = 1, high = 150; // the range of s

  /// Makes the model with `size` in place of s. If `isFixed` is true, `size` is the value of s, otherwise a
  /// placeholder.
  mlir::FailureOr<Model> make(const Graph &graph, int64_t size, bool isFixed) {
    std::vector<int64_t> numbers = {size};
    for (const SizeExpression &expression : graph.derived)
      numbers.push_back(*SizeEvaluator(expression).at(size));
    Model made;
    made.module = mlir::parseSourceString<mlir::ModuleOp>(graph.write(numbers), &context);
    if (!made.module)
      return mlir::failure();
    if (isFixed)
      return made;
    notes::sizes.set(*made.module, heddle::SizeRanges{{"s", low, high, size}});
    if (failed(deriveSizes(*made.module, graph.derived)))
      return mlir::failure();
    made.importAgain = [this, &graph](const SizeOptions &options) {
      bool isFixed = !options.at.empty();
      return make(graph, isFixed ? options.at.lookup("s") : graph.placeholders[size_t(options.placeholderSet)],
                  isFixed);
    };
    return made;
  }

  /// Compiles the model once and verifies it at many values of s.
  void checkAll(const Graph &graph) {
    mlir::FailureOr<Model> any = make(graph, graph.placeholders[0], false);
    ASSERT_TRUE(succeeded(any));
    keep(*any);
    std::unique_ptr<Session> session = compileAndLoad(std::move(*any));
    ASSERT_TRUE(session);
    for (size_t size = low; size <= high; size += size < 20 ? 1 : 13)
      checkAt(*session, {size});
    // A size outside of its range is rejected before anything is computed from it.
    size_t none[] = {0}, more[] = {size_t(high) + 1};
    EXPECT_EQ(session->model().arena_size(none, 1), 0u);
    EXPECT_EQ(session->model().arena_size(more, 1), 0u);
  }
};

std::string tensor(int64_t rows) { return "tensor<" + std::to_string(rows) + "x4xf32>"; }

/// Returns operations on `rows` rows: some arithmetic, a layer and a sum.
std::string work(int64_t rows) {
  std::string t = tensor(rows);
  return "  %w = arith.constant dense<0.25> : tensor<4x4xf32>\n"
         "  %zero = arith.constant dense<0.0> : tensor<4xf32>\n"
         "  %a = arith.addf %z, %z : " + t + "\n"
         "  %b = heddle.linear %a, %w : (" + t + ", tensor<4x4xf32>) -> " + t + "\n"
         "  %c = linalg.reduce {arith.addf} ins(%z : " + t + ") outs(%zero : tensor<4xf32>) dimensions = [0]\n"
         "  return %a, %b, %c : " + t + ", " + t + ", tensor<4xf32>\n}\n";
}

/// A graph with an input of s rows, and an input whose number of rows is `number` times the derived size.
Graph ofInput(SizeExpression expression, std::vector<int64_t> placeholders, int64_t number = 1) {
  return {{expression}, placeholders, [=](llvm::ArrayRef<int64_t> at) {
            std::string t = tensor(number * at[1]);
            return "func.func @main(%x: " + tensor(at[0]) + ", %z: " + t + ") -> (" + t + ", " + t +
                   ", tensor<4xf32>) {\n" + work(number * at[1]);
          }};
}
} // namespace

TEST_F(ComputedExtents, APolynomial) { checkAll(ofInput(2 * s + 1, {2003, 1013, 509, 251})); }

// The derived size is the number of blocks of 64 rows. The placeholders of s are chosen so that the placeholders of the
// derived size, such as 61 for s = 3881, are primes.
TEST_F(ComputedExtents, RoundedUpToAMultiple) {
  checkAll(ofInput(-SizeExpression::floorDiv(-s, 64), {3881, 1979, 1069, 821}, 64));
}

TEST_F(ComputedExtents, ResultsOfComparisons) {
  SizeExpression e = s + 4 - SizeExpression::min(s, 2) + SizeExpression::less(s, 7) + SizeExpression::equal(s, 5);
  EXPECT_EQ(SizeEvaluator(e).at({5}), 9);
  checkAll(ofInput(e, {4001, 1019, 521, 311}));
}

TEST_F(ComputedExtents, ProductsOfSizes) {
  // s * (s floordiv 3 + 1): the maximum of the product is the product of the maxima.
  Graph graph{{SizeExpression::floorDiv(s, 3) + 1}, {3919, 1567, 1009, 307}, [](llvm::ArrayRef<int64_t> at) {
                std::string t = "tensor<" + std::to_string(at[0]) + "x" + std::to_string(at[1]) + "xf32>";
                std::string flat = "tensor<" + std::to_string(at[0] * at[1]) + "xf32>";
                return "func.func @main(%x: " + t + ") -> " + flat + " {\n  %a = arith.addf %x, %x : " + t +
                       "\n  %b = tensor.collapse_shape %a [[0, 1]] : " + t + " into " + flat + "\n  return %b : " +
                       flat + "\n}\n";
              }};
  checkAll(graph);
}

/// Returns a model that squares the elements in the first half of the rows, and doubles all elements.
static Graph half() {
  return {{SizeExpression::floorDiv(s, 2)}, {4007, 2027, 1019, 503}, [](llvm::ArrayRef<int64_t> at) {
            std::string all = tensor(at[0]), half = tensor(at[1]);
            return "func.func @main(%x: " + all + ") -> (" + half + ", " + all +
                   ") {\n  %h = tensor.extract_slice %x[0, 0] [" + std::to_string(at[1]) + ", 4] [1, 1] : " + all +
                   " to " + half + "\n  %a = arith.mulf %h, %h : " + half + "\n  %b = arith.addf %x, %x : " + all +
                   "\n  return %a, %b : " + half + ", " + all + "\n}\n";
          }};
}

// The derived size is 0 where s is 1: there is nothing to compute.
TEST_F(ComputedExtents, HalfOfOne) { checkAll(half()); }

// A layer without rows, and a sum over no rows.
TEST_F(ComputedExtents, LayersAndSumsOfNothing) {
  checkAll(ofInput(SizeExpression::floorDiv(s, 2), half().placeholders));
  Graph sums = half(); // s sums over s / 2 elements each
  sums.write = [](llvm::ArrayRef<int64_t> at) {
    std::string rows = std::to_string(at[0]), half = std::to_string(at[1]);
    return "func.func @main(%x: tensor<" + rows + "x" + half + "xf32>) -> tensor<" + rows +
           "xf32> {\n  %start = arith.constant dense<0.0> : tensor<" + rows + "xf32>\n  %s = linalg.reduce {arith.addf} ins(%x : tensor<" + rows + "x" + half +
           "xf32>) outs(%start : tensor<" + rows + "xf32>) dimensions = [1]\n  return %s : tensor<" + rows +
           "xf32>\n}\n";
  };
  checkAll(sums);
}

TEST_F(ComputedExtents, EmptyTensorsNeedNoPointer) {
  Graph graph = half();
  graph.write = [](llvm::ArrayRef<int64_t> at) {
    std::string all = tensor(at[0]), half = tensor(at[1]);
    return "func.func @main(%x: " + all + ", %h: " + half + ") -> (" + half + ", " + all + ") {\n  %a = arith.mulf %h, %h : " +
           half + "\n  %b = arith.addf %x, %x : " + all + "\n  return %a, %b : " + half + ", " + all + "\n}\n";
  };
  CompileOptions options;
  options.target.cpu = cpu;
  auto model = make(graph, graph.placeholders[0], false);
  ASSERT_TRUE(succeeded(model));
  auto compiled = compileModel(std::move(*model), options);
  ASSERT_TRUE(succeeded(compiled));
  EXPECT_NE(compiled->header.find("in  [s floordiv 2, 4]; may be NULL if it is empty"), std::string::npos)
      << compiled->header;
  auto session = Session::fromObject(std::move(compiled->object), "model");
  ASSERT_TRUE(bool(session)) << llvm::toString(session.takeError());
  std::vector<float> x(8, 1), all(8), halves(4);
  const void *inputs[] = {x.data(), nullptr};
  void *outputs[] = {halves.data(), all.data()};
  for (size_t size : {1, 2}) {
    (*session)->setSizes(size);
    llvm::Error error = (*session)->run(inputs, outputs);
    EXPECT_EQ(bool(error), size == 2) << "the second input may be NULL only for s = 1, where it has no rows";
    llvm::consumeError(std::move(error));
  }
  EXPECT_EQ(all[3], 2);
}

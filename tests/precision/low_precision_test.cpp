//===- low_precision_test.cpp - outlier channels, layers in f32 -----------===//

#include "Heddle.h"
#include "heddle/Distance.h"
#include "heddle/LowPrecision.h"
#include "heddle/Registry.h"
#include "heddle/Verify.h"

#include "Notes.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;

namespace {
/// A fixture with a model of two linear layers of 32 columns, `up` and `down`, whose weights are fixed. Column 3 of the
/// result of `up` is 400 times as large as the other columns.
class LowPrecision : public testing::Test {
protected:
  LowPrecision() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    handler.emplace(&context, [this](Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; });
    for (auto [name, scale] : {std::make_pair("up", 1.0f), std::make_pair("down", 1.0f)}) {
      std::vector<float> &numbers = storage.emplace_back();
      for (int i = 0; i < 32 * 32; ++i)
        numbers.push_back(scale * std::sin(float(i * i % 977)) *
                          (StringRef(name) == "up" && i % 32 == 3 ? 400.0f : 1.0f));
    }
  }

  Model model() {
    static constexpr char text[] = R"mlir(
      module attributes {heddle.source = "two"} {
        func.func @main(%x: tensor<6x32xf32>) -> tensor<6x32xf32> {
          %u = heddle.weight "up" : tensor<32x32xf32>
          %d = heddle.weight "down" : tensor<32x32xf32>
          %0 = heddle.linear %x, %u : (tensor<6x32xf32>, tensor<32x32xf32>) -> tensor<6x32xf32>
          %1 = heddle.linear %0, %d : (tensor<6x32xf32>, tensor<32x32xf32>) -> tensor<6x32xf32>
          return %1 : tensor<6x32xf32>
        }
      })mlir";
    Model made{parseSourceString<ModuleOp>(text, &context), {}};
    auto type = RankedTensorType::get({32, 32}, Float32Type::get(&context));
    for (auto [name, numbers] : llvm::zip_equal(std::array{"up", "down"}, storage)) {
      const char *bytes = reinterpret_cast<const char *>(numbers.data());
      made.weights.add(name, type, std::vector<char>(bytes, bytes + numbers.size() * sizeof(float)));
    }
    return made;
  }

  /// Returns the case on which the compiler observes the inputs of layers. In its input, columns 5 and 20 are large.
  std::vector<CalibrationCase> cases() {
    std::vector<double> x;
    for (int i = 0; i < 6 * 32; ++i)
      x.push_back(std::sin(double(i)) * (i % 32 == 5 || i % 32 == 20 ? 50 : 1));
    std::vector<CalibrationCase> made;
    made.push_back({model(), {Tensor({6, 32}, Float32Type::get(&context), x)}});
    return made;
  }

  /// Returns the model in `precision`. If `minCosine` is not 0, layers are left in f32 until each row of the results
  /// has at least this cosine with the same row in f32.
  Model lowered(const char *precision, double minCosine = 0) {
    PrecisionOptions options;
    EXPECT_EQ(parsePrecision(precision, options.choice), "");
    options.minCosine = minCosine;
    llvm::raw_string_ostream stream(notes);
    options.notes = &stream;
    Model made = model();
    std::vector<CalibrationCase> seen = cases();
    EXPECT_TRUE(succeeded(lowerModel(made, options, seen))) << errors;
    return made;
  }

  static SmallVector<LinearOp> layers(Model &model) {
    SmallVector<LinearOp> found;
    model.module->walk([&](LinearOp op) { found.push_back(op); });
    return found;
  }

  MLIRContext context;
  std::optional<ScopedDiagnosticHandler> handler;
  // Error messages, and the text that the compiler prints about layers in higher precision.
  std::string errors, notes;
  // The elements of the weights `up` and `down`.
  std::vector<std::vector<float>> storage;
};
} // namespace

/// Each layer has four outlier channels. The large columns of its input must be among them.
TEST_F(LowPrecision, TheLargestColumnsAreOutliers) {
  Model made = lowered("int8");
  SmallVector<LinearOp> found = layers(made);
  ASSERT_EQ(found.size(), 2u);
  SmallVector<int64_t> first(found[0].getRounding()->getOutliers()), second(found[1].getRounding()->getOutliers());
  EXPECT_EQ(first.size(), 4u);
  EXPECT_TRUE(llvm::is_contained(first, 5) && llvm::is_contained(first, 20));
  EXPECT_EQ(second.size(), 4u);
  EXPECT_TRUE(llvm::is_contained(second, 3));
  EXPECT_TRUE(llvm::is_sorted(first) && llvm::is_sorted(second));
  EXPECT_EQ(notes::source.get(*made.module), "two in int8");
}

/// Models with sizes in ranges are imported again with other placeholders. The second import must be rounded in the
/// same way.
TEST_F(LowPrecision, AModelThatIsImportedAgainHasTheSameOutliers) {
  PrecisionOptions options;
  EXPECT_EQ(parsePrecision("int8-block", options.choice), "");
  Model made = model();
  made.importAgain = [&](const SizeOptions &) { return FailureOr<Model>(model()); };
  std::vector<CalibrationCase> seen = cases();
  ASSERT_TRUE(succeeded(lowerModel(made, options, seen)));
  FailureOr<Model> again = made.importAgain({});
  ASSERT_TRUE(succeeded(again));
  for (auto [a, b] : llvm::zip_equal(layers(made), layers(*again)))
    EXPECT_EQ(a.getRounding(), b.getRounding());
}

/// With any layer in int8, the results have a cosine below 1 with the results in f32. If the cosine 1 is requested, all
/// layers therefore remain in f32.
TEST_F(LowPrecision, LayersAreLeftInF32UntilTheCosineIsReached) {
  Model all = lowered("int8", 0.9);
  for (LinearOp layer : layers(all))
    EXPECT_TRUE(layer.getRounding()->isInteger());
  EXPECT_EQ(notes, "");
  Model none = lowered("int8", 1);
  for (LinearOp layer : layers(none))
    EXPECT_FALSE(layer.getRounding());
  EXPECT_NE(notes.find("2 of 2 layers are left in a higher precision: the worst cosine of a row is 1.000000"),
            std::string::npos)
      << notes;
  EXPECT_NE(notes.find("up: f32; if only this weight is in low precision, the worst cosine is "), std::string::npos)
      << notes;
}

/// Results for inputs other than the observed ones may have larger errors. If the cosine C is requested, the error on
/// the observed inputs, 1 minus their cosine, may therefore be at most 0.4 (1 - C): all layers remain in int8 if 1 - C
/// is three times the error, but not if it is twice the error.
TEST_F(LowPrecision, TheCosineHasAMarginForOtherInputs) {
  CalibrationCase seen = std::move(cases().front());
  auto run = [&](Model &made) {
    InterpreterOptions options;
    options.weights = weightsFrom(made.weights);
    return interpret(made.module->lookupSymbol<func::FuncOp>("main"), seen.inputs, options);
  };
  Model all = lowered("int8");
  FailureOr<SmallVector<Tensor>> exact = run(seen.model), rounded = run(all);
  ASSERT_TRUE(succeeded(exact) && succeeded(rounded)) << errors;
  double distance = 1 - distanceBetween(rounded->front(), exact->front()).cosine;
  ASSERT_GT(distance, 1e-9);
  auto isInteger = [](LinearOp layer) { return layer.getRounding() && layer.getRounding()->isInteger(); };
  Model enough = lowered("int8", 1 - 3 * distance), close = lowered("int8", 1 - 2 * distance);
  EXPECT_TRUE(llvm::all_of(layers(enough), isInteger));
  EXPECT_FALSE(llvm::all_of(layers(close), isInteger));
}

TEST_F(LowPrecision, AModelWithoutSuchLayersIsAnError) {
  PrecisionOptions options;
  EXPECT_EQ(parsePrecision("int8:ffn", options.choice), "");
  Model made = model();
  std::vector<CalibrationCase> seen = cases();
  EXPECT_TRUE(failed(lowerModel(made, options, seen)));
  EXPECT_EQ(errors, "precision int8:ffn: the model has no feed-forward layer whose weights are constants in f32 or a "
                    "narrower type\n");
}

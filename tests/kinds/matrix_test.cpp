//===- matrix_test.cpp - heddle.tile_product before and after AMX ---------===//
//
// Interprets random heddle.tile_product operations on buffers, and the AMX operations to which
// heddle-lower-tile-products lowers them, for every kind of product that matrix instructions compute. The results must
// be equal.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "heddle/Kinds.h"
#include "heddle/Passes.h"
#include "interpreter/Buffer.h"
#include "kinds/MatrixCode.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Pass/PassManager.h"

#include <random>

using namespace mlir;
using namespace heddle;

namespace {

struct Matrices : testing::Test {
  Runner runner;
  std::mt19937 random{11};

  Matrices() {
    DialectRegistry registry;
    registerProductCode(registry);
    runner.context.appendDialectRegistry(registry);
    runner.context.getOrLoadDialect<amx::AMXDialect>();
  }
  int64_t number(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }

  Tensor tensor(ArrayRef<int64_t> shape, Type element, int64_t low, int64_t high) {
    int64_t count = ShapedType::getNumElements(shape);
    if (isa<IntegerType>(element)) {
      std::vector<int64_t> elements(count);
      for (int64_t &x : elements)
        x = number(low, high);
      return Tensor(shape, element, elements);
    }
    std::vector<double> elements(count);
    for (double &x : elements)
      x = number(low, high) / 16.0; // sums of products are exact in f32, in any order
    return Tensor(shape, element, elements);
  }

  /// Interprets the module with buffers of these elements, and returns the buffer of sums.
  Tensor sums(ArrayRef<Tensor> arguments) {
    SmallVector<Tensor> buffers;
    for (const Tensor &argument : arguments)
      buffers.push_back(Tensor(Buffer::of(argument)));
    auto main = runner.module->lookupSymbol<func::FuncOp>("main");
    EXPECT_TRUE(succeeded(interpret(main, buffers, runner.options))) << runner.errors;
    FailureOr<Tensor> elements = buffers[2].buffer()->load(main);
    EXPECT_TRUE(succeeded(elements)) << runner.errors;
    return *elements;
  }

  /// Runs heddle-lower-tile-products on the module.
  LogicalResult lower() {
    PassManager manager(&runner.context);
    manager.addNestedPass<func::FuncOp>(createLowerTileProducts());
    return manager.run(*runner.module);
  }
};

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Returns the text of a function that computes a product in the middle of a buffer of sums, whose other elements keep
/// their values. `kind` and `prefetch` are parts of the operation's text.
std::string productOf(std::string kind, std::string prefetch, ArrayRef<Tensor> arguments, bool fromZero) {
  auto typeOf = [&](unsigned i) {
    return typeText(MemRefType::get(arguments[i].shape(), arguments[i].elementType()));
  };
  int64_t m = arguments[0].dim(0), n = arguments[2].dim(1) - 3;
  std::string extents = std::to_string(m) + ", " + std::to_string(n), width = std::to_string(n + 3);
  std::string part = "memref<" + std::to_string(m) + "x" + std::to_string(n) + "x" +
                     typeText(arguments[2].elementType()) + ", strided<[" + width +
                     ", 1], offset: " + std::to_string(n + 5) + ">>";
  return "func.func @main(%a: " + typeOf(0) + ", %w: " + typeOf(1) + ", %s: " + typeOf(2) + ", %p: " + typeOf(3) +
         ") {\n  %part = memref.subview %s[1, 2] [" + extents + "] [1, 1] : " + typeOf(2) + " to " + part +
         "\n  heddle.tile_product %a, %w into %part" + (fromZero ? " from_zero" : "") + " kind(" + kind + ")" + prefetch +
         " : " + typeOf(0) + ", " + typeOf(1) + ", " + part + "\n  return\n}\n";
}

TEST_F(Matrices, AreEqualAtRandomShapes) {
  const char *kinds[] = {"#heddle.amx_bf16<steps = 16>", "#heddle.amx_bf16<steps = 7>",
                         "#heddle.amx_i8<steps = 16>", "#heddle.amx_i8<steps = 16, unsigned = rows>",
                         "#heddle.amx_i8<steps = 8, unsigned = weight>"};
  llvm::DenseSet<TypeID> tested;
  for (int trial = 0; trial < 60; ++trial) {
    std::string name = kinds[trial % std::size(kinds)];
    auto kind = cast<ProductKind>(parseAttribute(name, &runner.context));
    tested.insert(kind.getTypeID());
    ProductUnit unit = kind.getUnit();
    int64_t depth = kind.getDepth(), m = unit.rows * number(1, 4), n = unit.columns * number(1, 5);
    int64_t steps = unit.steps * number(0, 3);
    SmallVector<int64_t> weight = {steps, (n + number(0, 5)) * depth};
    if (number(0, 1)) {
      int64_t panel = unit.columns * number(1, 3), panels = llvm::divideCeilSigned(n, panel) + number(0, 1);
      weight = {panels, steps, panel * depth};
    }
    SmallVector<Tensor> arguments = {tensor({m, steps, depth}, kind.getRowsElement(), -128, 127),
                                     tensor(weight, kind.getWeightElement(), -128, 127),
                                     tensor({m + 2, n + 3}, kind.getSumElement(), -1000, 1000),
                                     tensor({std::max<int64_t>(steps, 1)}, IntegerType::get(&runner.context, 8), 0, 0)};
    int64_t every = number(1, 40);
    std::string prefetch = number(0, 1) ? " prefetch(%p : memref<" + std::to_string(arguments[3].dim(0)) +
                                              "xi8>) every [" + std::to_string(every) + "] locality 2"
                                        : "";
    std::string text = productOf(name, prefetch, arguments, number(0, 1));
    runner.module = parseSourceString<ModuleOp>(text, &runner.context);
    ASSERT_TRUE(runner.module) << runner.errors << text;
    Tensor before = sums(arguments);
    ASSERT_TRUE(succeeded(lower())) << runner.errors << text;
    runner.module->walk([&](TileProductOp op) { ADD_FAILURE() << "a heddle.tile_product is left: " << text; });
    Tensor after = sums(arguments);
    if (before.isFloat())
      EXPECT_EQ(before.floats().vec(), after.floats().vec()) << text;
    else
      EXPECT_EQ(before.ints().vec(), after.ints().vec()) << text;
    if (HasFailure())
      return;
  }
  size_t kindsWithCode = 0;
#define HEDDLE_KIND(Stem)                                                                                              \
  kindsWithCode += AbstractAttribute::lookup(TypeID::get<heddle::Stem##Attr>(), &runner.context)                       \
                       .hasInterface(MatrixCode::getInterfaceID());
#include "Kinds.inc"
#undef HEDDLE_KIND
  EXPECT_EQ(tested.size(), kindsWithCode);
}

/// The largest numbers of tiles of each shape (rows, and bits of a row) that are in use at the same time.
using UsedTiles = std::map<std::pair<int64_t, int64_t>, int64_t>;

/// Raises the numbers in `used` to those of a block: a tile is in use from its definition to its last use.
void countTiles(Block &block, UsedTiles &used) {
  UsedTiles live;
  auto shapeOf = [](Value tile) {
    auto type = cast<amx::TileType>(tile.getType());
    return std::pair(type.getDimSize(0), type.getDimSize(1) * type.getElementType().getIntOrFloatBitWidth());
  };
  auto isTile = [](Value value) { return isa<amx::TileType>(value.getType()); };
  auto begin = [&](Value tile) {
    int64_t &most = used[shapeOf(tile)];
    most = std::max(most, ++live[shapeOf(tile)]);
  };
  for (Value argument : llvm::make_filter_range(block.getArguments(), isTile))
    begin(argument);
  for (Operation &op : block) {
    SmallPtrSet<void *, 4> ended;
    for (Value operand : llvm::make_filter_range(op.getOperands(), isTile))
      if (llvm::all_of(operand.getUsers(), [&](Operation *user) { return user == &op || user->isBeforeInBlock(&op); }) &&
          ended.insert(operand.getAsOpaquePointer()).second)
        --live[shapeOf(operand)];
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        countTiles(inner, used);
    for (Value result : llvm::make_filter_range(op.getResults(), isTile))
      begin(result);
  }
}

/// A tile register has one shape in a whole function. A function may contain products of all these sizes, so for all
/// shapes together they may use at most 8 tile registers.
TEST_F(Matrices, ProductsOfAFunctionFitIntoTheRegisters) {
  std::string name = "#heddle.amx_bf16<steps = 8>"; // tiles of the rows, of the weight and of sums have different shapes
  auto kind = cast<ProductKind>(parseAttribute(name, &runner.context));
  UsedTiles used;
  for (int64_t rows = 1; rows <= 4; ++rows)
    for (int64_t columns = 1; columns <= 6; ++columns) {
      SmallVector<Tensor> arguments = {tensor({16 * rows, 32, 2}, kind.getRowsElement(), 0, 1),
                                       tensor({32, 32 * columns}, kind.getWeightElement(), 0, 1),
                                       tensor({16 * rows + 2, 16 * columns + 3}, kind.getSumElement(), 0, 1),
                                       tensor({1}, IntegerType::get(&runner.context, 8), 0, 0)};
      runner.module = parseSourceString<ModuleOp>(productOf(name, "", arguments, true), &runner.context);
      ASSERT_TRUE(runner.module) << runner.errors;
      ASSERT_TRUE(succeeded(lower())) << runner.errors;
      int64_t products = 0;
      runner.module->walk([&](amx::TileMulFOp) { ++products; });
      EXPECT_EQ(products, rows * columns);
      for (auto main : runner.module->getOps<func::FuncOp>())
        countTiles(main.getBody().front(), used);
    }
  EXPECT_EQ(used.size(), 3u);
  int64_t registers = 0;
  for (auto &[shape, count] : used)
    registers += count;
  EXPECT_LE(registers, 8);
}

/// The pass refuses kinds that matrix instructions do not compute, products of tensors, and rows or sums that are not
/// contiguous.
TEST_F(Matrices, RefuseOtherProducts) {
  auto refuses = [&](std::string text, std::string reason) {
    runner.module = parseSourceString<ModuleOp>(text, &runner.context);
    ASSERT_TRUE(runner.module) << runner.errors;
    EXPECT_TRUE(failed(lower()));
    EXPECT_NE(runner.errors.find(reason), std::string::npos) << runner.errors;
  };
  refuses(R"(func.func @main(%a: memref<1x1x4xi8>, %w: memref<1x4xi8>, %s: memref<1x1xi32>) {
    heddle.tile_product %a, %w into %s kind(#heddle.dot_bytes) : memref<1x1x4xi8>, memref<1x4xi8>, memref<1x1xi32>
    return
  })",
          "needs a kind that matrix instructions compute");
  refuses(R"(func.func @main(%a: tensor<16x8x2xbf16>, %w: tensor<8x32xbf16>, %s: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %0 = heddle.tile_product %a, %w into %s kind(#heddle.amx_bf16<steps = 8>)
      : tensor<16x8x2xbf16>, tensor<8x32xbf16>, tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  })",
          "needs buffers");
  refuses(R"(func.func @main(%a: memref<16x8x2xbf16, strided<[64, 8, 1]>>, %w: memref<8x32xbf16>, %s: memref<16x16xf32>) {
    heddle.tile_product %a, %w into %s kind(#heddle.amx_bf16<steps = 8>)
      : memref<16x8x2xbf16, strided<[64, 8, 1]>>, memref<8x32xbf16>, memref<16x16xf32>
    return
  })",
          "needs rows whose last two dimensions are contiguous");
  refuses(R"(func.func @main(%a: memref<16x8x2xbf16>, %w: memref<8x32xbf16>, %s: memref<16x16xf32, strided<[1, 16]>>) {
    heddle.tile_product %a, %w into %s kind(#heddle.amx_bf16<steps = 8>)
      : memref<16x8x2xbf16>, memref<8x32xbf16>, memref<16x16xf32, strided<[1, 16]>>
    return
  })",
          "needs buffers whose last dimension is contiguous");
}

} // namespace

//===- TieTables.cpp - lookup tables that are also layer weights ----------===//
//
// A decoder's embedding table is often the transposed weight of its last layer, which is stored in panels. The pass
// heddle-tie-tables makes the lookups of rows read these panels instead of the table, so that the weight is stored
// once.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_TIETABLES
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Returns the packing with which `panels` stores the transposed `table`; null if `panels` does not contain the table.
static PackStepAttr findPacking(WeightOp table, WeightOp panels) {
  if (table.getName() != panels.getName() || panels.getRecipe().empty())
    return {};
  auto pack = dyn_cast<PackStepAttr>(panels.getRecipe().getValue().back());
  if (!pack)
    return {};
  // A recipe is the list of steps that compute a weight from a stored tensor. Without the final pack, the recipe of
  // `panels` must be the recipe of the table with a transpose in it. Only casts may follow the transpose: they convert
  // single elements and therefore commute with it.
  SmallVector<Attribute> steps;
  bool isTransposed = false;
  for (Attribute step : panels.getRecipe().getValue().drop_back()) {
    auto transpose = dyn_cast<TransposeStepAttr>(step);
    bool isTranspose = transpose && transpose.getPermutation() == ArrayRef<int64_t>{1, 0};
    if (isTransposed && (isTranspose || !isa<CastStepAttr>(step)))
      return {};
    isTransposed |= isTranspose;
    if (!isTranspose)
      steps.push_back(step);
  }
  bool isSame = isTransposed && ArrayRef(steps) == table.getRecipe().getValue();
  return isSame ? pack : PackStepAttr();
}

/// Returns whether `value`, possibly converted as a whole, is read only element by element. Adds these reads and the
/// conversions to `reads` and `conversions`.
static bool collectReads(Value value, SmallVectorImpl<tensor::ExtractOp> &reads,
                         SmallVectorImpl<DequantizeOp> &conversions) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto read = dyn_cast<tensor::ExtractOp>(user)) {
      reads.push_back(read);
      return true;
    }
    auto conversion = dyn_cast<DequantizeOp>(user);
    if (!conversion || !conversion.isPlain())
      return false;
    conversions.push_back(conversion);
    return collectReads(conversion.getResult(), reads, conversions);
  });
}

/// Returns the indices in the panels of element [row, column] of the table.
static SmallVector<Value> placeInPanels(ImplicitLocOpBuilder &b, PackStepAttr pack, Value row, Value column) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, value); };
  auto quotient = [&](Value of, int64_t by) { return arith::DivUIOp::create(b, of, constant(by)); };
  auto remainder = [&](Value of, int64_t by) { return arith::RemUIOp::create(b, of, constant(by)); };
  SmallVector<Value> place;
  Value panel = quotient(row, pack.getPanel());
  if (int64_t interleaved = pack.getInterleaved(); interleaved > 1)
    place = {remainder(panel, interleaved), quotient(panel, interleaved)};
  else
    place = {panel};
  int64_t depth = pack.getDepth();
  place.push_back(depth > 1 ? quotient(column, depth) : column);
  place.push_back(remainder(row, pack.getPanel()));
  if (depth > 1)
    place.push_back(remainder(column, depth));
  return place;
}

namespace {
/// A kernel that reads single elements of the table, and its only call.
struct Reader {
  func::FuncOp kernel;
  func::CallOp call;
  unsigned argument; // the index of the argument that is the table
  SmallVector<tensor::ExtractOp> reads;
  SmallVector<DequantizeOp> conversions;
};
} // namespace

/// Finds the kernels that read the table; fails if the table has any other use than reads of single elements, or if one
/// of the kernels has several calls.
static FailureOr<SmallVector<Reader>> findReaders(ModuleOp module, WeightOp table) {
  SmallVector<Reader> readers;
  for (OpOperand &use : table->getUses()) {
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    auto kernel = call ? module.lookupSymbol<func::FuncOp>(call.getCallee()) : func::FuncOp();
    if (!kernel || !kernel.isPrivate() || kernel.isExternal())
      return failure();
    std::optional<SymbolTable::UseRange> calls = SymbolTable::getSymbolUses(kernel, module);
    if (!calls || !llvm::hasSingleElement(*calls))
      return failure();
    Reader &reader = readers.emplace_back(Reader{kernel, call, use.getOperandNumber(), {}, {}});
    if (!collectReads(kernel.getArgument(reader.argument), reader.reads, reader.conversions))
      return failure();
  }
  return readers;
}

/// Passes `panels` instead of the table to the kernel, and changes the indices of its reads.
static void readPanels(const Reader &reader, WeightOp panels, PackStepAttr pack) {
  auto type = cast<RankedTensorType>(panels.getType());
  func::FuncOp kernel = reader.kernel;
  kernel.getArgument(reader.argument).setType(type);
  SmallVector<Type> inputs(kernel.getArgumentTypes());
  inputs[reader.argument] = type;
  kernel.setType(FunctionType::get(kernel.getContext(), inputs, kernel.getResultTypes()));
  for (DequantizeOp conversion : reader.conversions)
    conversion.getResult().setType(type.clone(getElementTypeOrSelf(conversion.getType())));
  for (tensor::ExtractOp read : reader.reads) {
    ImplicitLocOpBuilder b(read.getLoc(), read);
    SmallVector<Value> place = placeInPanels(b, pack, read.getIndices()[0], read.getIndices()[1]);
    read.getIndicesMutable().assign(place);
  }
  reader.call->setOperand(reader.argument, panels);
}

namespace {
struct TieTables : heddle::impl::TieTablesBase<TieTables> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal())
      return;
    SmallVector<WeightOp> tables, packed;
    for (WeightOp weight : main.getOps<WeightOp>())
      (cast<RankedTensorType>(weight.getType()).getRank() == 2 ? tables : packed).push_back(weight);
    for (WeightOp table : tables)
      for (WeightOp panels : packed)
        if (PackStepAttr pack = findPacking(table, panels)) {
          FailureOr<SmallVector<Reader>> readers = findReaders(module, table);
          if (failed(readers))
            break;
          panels->moveBefore(table);
          for (const Reader &reader : *readers)
            readPanels(reader, panels, pack);
          table.erase();
          break;
        }
  }
};
} // namespace

//===- Outputs.cpp - outputs of a model and their padded rows -------------===//

#include "Outputs.h"

#include "sizes/SizeScope.h"

#include "Notes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

/// Begins an error about an option that requests an input or output that the model does not have. The caller appends
/// the reason.
static InFlightDiagnostic refuse(func::FuncOp main, const ImportTask &options) {
  options.setWrongUsage();
  return main.emitError();
}

/// Returns the name of a result of @main; "output" and its number if it has none.
static std::string nameOf(func::FuncOp main, unsigned result) {
  std::string fallback = "output" + std::to_string(result);
  return notes::name.getOfResult(main, result).value_or(fallback).str();
}

LogicalResult heddle::keepOutputs(ModuleOp module, const ImportTask &options) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (options.outputs.empty() || !main || !main.getBody().hasOneBlock())
    return success();
  std::vector<std::string> names;
  BitVector dropped(main.getNumResults());
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    if (notes::state.getOfResult(main, i)) // the result is a state and not an output
      continue;
    names.push_back(nameOf(main, i));
    dropped[i] = !llvm::is_contained(options.outputs, names.back());
  }
  for (const std::string &wanted : options.outputs)
    if (!llvm::is_contained(names, wanted))
      return refuse(main, options) << "the model has no output '" << wanted << "'; its outputs are "
                                   << llvm::join(names, ", ");
  main.front().getTerminator()->eraseOperands(dropped);
  if (failed(main.eraseResults(dropped)))
    return failure();
  IRRewriter rewriter(module.getContext());
  (void)runRegionDCE(rewriter, main.getBody()); // the result only indicates whether an operation was erased
  return success();
}

/// Returns the index of the argument that contains the attention mask: an integer tensor [batch, positions] that is
/// called attention_mask, or else the only such tensor with "mask" in its name. Returns -1 if there is none, and -2 if
/// there are several.
static int findMask(func::FuncOp main) {
  int found = -1;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto type = dyn_cast<RankedTensorType>(main.getArgumentTypes()[i]);
    StringRef name = notes::name.get(main, i).value_or("");
    if (!type || type.getRank() != 2 || !type.getElementType().isInteger() || !name.contains("mask"))
      continue;
    if (name == "attention_mask")
      return i;
    found = found == -1 ? int(i) : -2;
  }
  return found;
}

std::vector<std::string> heddle::paddedOutputsOf(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::vector<std::string> names;
  for (unsigned i = 0; main && i < main.getNumResults(); ++i)
    if (notes::zeroWhere.getOfResult(main, i))
      names.push_back(nameOf(main, i));
  return names;
}

/// Returns whether the first two dimensions of the output `name` equal those of the mask, for all values of the sizes
/// that lie in ranges. If the model was imported before with other placeholders, `options.paddedOutputs` contains the
/// outputs for which the result was true, and this function returns the same result again.
static bool hasRowsOf(RankedTensorType type, RankedTensorType mask, StringRef name, const ImportTask &options) {
  if (options.paddedOutputs)
    return llvm::is_contained(*options.paddedOutputs, name);
  SizeScope *scope = SizeScope::current();
  return llvm::all_of(llvm::zip(dimsOf(mask), dimsOf(type)), [&](auto pair) {
    auto [a, b] = pair;
    return scope ? scope->domain().isZero(a.asExpression() - b.asExpression()).always == true : a == b;
  });
}

LogicalResult heddle::clearPaddedRows(ModuleOp module, const ImportTask &options) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!options.skipPadding || !main || !main.getBody().hasOneBlock())
    return success();
  int number = findMask(main);
  if (number < 0)
    return refuse(main, options)
           << "--padding skip: expected an input attention_mask of integers with the shape [batch, positions], "
           << (number == -1 ? "found none" : "found several masks");
  Value mask = main.getArgument(number);
  auto maskType = cast<RankedTensorType>(mask.getType());
  StringRef maskName = notes::name.get(main, number).value_or("");
  auto builder = ImplicitLocOpBuilder::atBlockTerminator(main.getLoc(), &main.front());
  Value flags = mask;
  if (!maskType.getElementType().isInteger(1)) {
    Value zeros = arith::ConstantOp::create(builder, cast<TypedAttr>(builder.getZeroAttr(maskType)));
    flags = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, mask, zeros);
  }
  Operation *terminator = main.front().getTerminator();
  for (OpOperand &result : terminator->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(result.get().getType());
    if (notes::state.getOfResult(main, result.getOperandNumber())) // the next call reads all rows of a state
      continue;
    // In a result with two dimensions, the second one may happen to equal the number of positions.
    if (!type || type.getRank() < 3 || !hasRowsOf(type, maskType, nameOf(main, result.getOperandNumber()), options))
      continue;
    // The dimensions along which the mask is broadcast.
    SmallVector<int64_t> others = llvm::to_vector(llvm::seq<int64_t>(2, type.getRank()));
    Value init = tensor::EmptyOp::create(builder, type.getShape(), builder.getI1Type());
    Value kept = linalg::BroadcastOp::create(builder, flags, init, others)->getResult(0);
    Value zeros = arith::ConstantOp::create(builder, cast<TypedAttr>(builder.getZeroAttr(type)));
    result.set(arith::SelectOp::create(builder, kept, result.get(), zeros));
    notes::zeroWhere.setOfResult(main, result.getOperandNumber(), maskName);
  }
  return success();
}

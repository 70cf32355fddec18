//===- Past.cpp - the state of a decoder ----------------------------------===//

#include "Past.h"

#include "Tensors.h"

#include "Heddle.h"
#include "Notes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// Returns the positions [batch, sequence] of new tokens: the number of past tokens, `past` [batch], plus the token's
/// index among the new tokens of its sequence.
static Value newPositions(MainBuilder &main, Value past, const Dim &batch, const Dim &sequence) {
  auto type = RankedTensorType::get(numbersOf({batch, sequence}), main.getI64Type());
  Value empty = tensor::EmptyOp::create(main, type.getShape(), type.getElementType());
  AffineMap all = main.getMultiDimIdentityMap(2);
  SmallVector<utils::IteratorType> iterators(2, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      main, TypeRange{type}, ValueRange{past}, ValueRange{empty}, ArrayRef<AffineMap>{all.getMajorSubMap(1), all},
      iterators, [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        Value place = linalg::IndexOp::create(nested, loc, 1);
        Value number = arith::IndexCastOp::create(nested, loc, nested.getI64Type(), place);
        linalg::YieldOp::create(nested, loc, arith::AddIOp::create(nested, loc, arguments[0], number).getResult());
      });
  return generic.getResult(0);
}

Past::Past(MainBuilder &main, const Dim &batch, const Dim &sequence, const Dim &capacity) : capacity(capacity) {
  auto type = RankedTensorType::get(numberOf(batch), main.getI64Type());
  past = main.addInput("past", type, {{"batch_size"}});
  main.markPast(past);
  // The names that these inputs usually have in models without states.
  main.replaceInputs({"attention_mask", "position_ids", "cache_position"});
  positions = newPositions(main, past, batch, sequence);
  lengths = arith::AddIOp::create(main, past, splatSize(main, type, sequence));
}

std::pair<Value, Value> Past::append(MainBuilder &main, Value keys, Value values) {
  std::pair<Value, Value> all = {append(main, keys, "key"), append(main, values, "value")};
  ++layers;
  return all;
}

Value Past::append(MainBuilder &main, Value rows, const char *part) {
  auto type = cast<RankedTensorType>(rows.getType());
  int64_t batch = type.getDimSize(0), sequence = type.getDimSize(1), heads = type.getDimSize(2),
          size = type.getDimSize(3);
  Value empty = tensor::EmptyOp::create(main, {batch, heads, sequence, size}, type.getElementType());
  Value byHead = linalg::TransposeOp::create(main, rows, empty, ArrayRef<int64_t>{0, 2, 1, 3})->getResult(0);
  std::string name = "layer." + std::to_string(layers) + "." + part;
  auto all = type.clone({batch, heads, numberOf(capacity), size});
  Value state = main.addState(name, all, {"batch_size", "", "capacity", ""});
  Value after = AppendOp::create(main, byHead, state, past).getResult();
  main.keepState(state, after);
  return after;
}

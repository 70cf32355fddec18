//===- DecoderModel.cpp - decoders with a state ---------------------------===//

#include "DecoderModel.h"

#include "PooledTokens.h"
#include "Tensors.h"

using namespace mlir;
using namespace heddle;

LogicalResult heddle::checkDecoder(Location loc, const Family &family, Head head, bool pools,
                                   const ImportTask &options) {
  if (family.capacity && head == Head::CausalLM && !pools && !family.bidirectional)
    return success();
  options.setWrongUsage();
  InFlightDiagnostic error = emitError(loc) << "--decoder: ";
  if (!family.capacity)
    return error << "the model is not a decoder";
  if (family.bidirectional)
    return error << "each token attends to later tokens, so keys and values cannot be kept between calls";
  if (pools)
    return error << "a model of sentence-transformers does not predict the next token";
  return error << "the model has no head that predicts the next token (expected ...ForCausalLM in architectures)";
}

Value heddle::addLast(MainBuilder &main, const Dim &batch, const Dim &sequence) {
  auto type = RankedTensorType::get(numberOf(batch), main.getI64Type());
  Value last = main.addInput("last", type, {{"batch_size"}, -1, {{-sequence.high(), sequence.high() - 1}}});
  return CheckedIndexOp::create(main, last, numberOf(sequence));
}

/// Returns the index of the largest element of each row of `rows` [batch, width]. If several elements are the largest,
/// the result is the index of the first of them. If a row contains NaN, the result is the index of the first NaN.
static Value placeOfLargest(ImplicitLocOpBuilder &builder, Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  Value largest = broadcast(builder, reduce(builder, rows, 1, /*maximum=*/true), type, {1});
  Value equal = arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, rows, largest);
  Value isNan = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, rows, rows);
  return firstPlace(builder, arith::OrIOp::create(builder, equal, isNan));
}

NamedValues heddle::buildNextToken(Family &family, Layers &layers, const TokenInputs &inputs, Value last, Value hidden,
                                   const ImportTask &options) {
  auto logitsOf = [&](Value rows) { return family.buildHead(layers, inputs, rows).front().second; };
  bool wantsAll = llvm::is_contained(options.outputs, "all_logits");
  Value all = wantsAll ? logitsOf(hidden) : Value();
  // Unless all logits are wanted, compute only the logits of the last tokens, since the head is expensive.
  Value logits = all ? takePlaces(layers.main, all, last) : logitsOf(takePlaces(layers.main, hidden, last));
  NamedValues results = {{"logits", logits}, {"next_token", placeOfLargest(layers.main, logits)}};
  if (all)
    results.push_back({"all_logits", all});
  return results;
}

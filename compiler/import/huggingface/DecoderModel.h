//===- DecoderModel.h - decoders with a state -------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_DECODERMODEL_H
#define HEDDLE_IMPORT_HUGGINGFACE_DECODERMODEL_H

#include "../sizes/ImportTask.h"

#include "Family.h"

namespace heddle {

/// Emits an error if --decoder does not support the model: the option requires a decoder that predicts the next token
/// and whose tokens do not attend to later tokens. `pools` is true if the model computes sentence vectors.
mlir::LogicalResult checkDecoder(mlir::Location loc, const Family &family, Head head, bool pools,
                                 const ImportTask &options);

/// Adds the input `last` [batch], the index of each sequence's last token among the `sequence` new tokens. Negative
/// values count from the end; the default is -1. Returns the indices converted to non-negative numbers.
mlir::Value addLast(MainBuilder &main, const Dim &batch, const Dim &sequence);

/// Builds the outputs `logits` [batch, vocabulary] of the `last` tokens and `next_token` [batch], the index of the
/// largest logit (of the first one if several logits are the largest, and of the first NaN if there is one); also
/// `all_logits` [batch, sequence, vocabulary] if `options.outputs` contains this name.
NamedValues buildNextToken(Family &family, Layers &layers, const TokenInputs &inputs, mlir::Value last,
                           mlir::Value hidden, const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_DECODERMODEL_H

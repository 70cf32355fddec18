//===- DecoderModel.h - decoders with a state -------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_DECODERMODEL_H
#define HEDDLE_IMPORT_HUGGINGFACE_DECODERMODEL_H

#include "heddle/Import.h"

#include "Family.h"

namespace heddle {

/// Whether the model tells the next token, so that it can keep those before.
mlir::LogicalResult checkDecoder(mlir::Location loc, const Family &family, Head head, bool pools,
                                 const ImportOptions &options);

/// Adds the input `last` [batch]: which of its new tokens is a sequence's last, negative numbers counted from the end;
/// -1 unless it is given. What this yields is none of them negative.
mlir::Value addLast(MainBuilder &main, const Dim &batch, const Dim &sequence);

/// `logits` [batch, vocabulary] of the `last` tokens and `next_token` [batch], the first of the largest of these; where
/// they are asked for, `all_logits` [batch, sequence, vocabulary].
NamedValues buildNextToken(Family &family, Layers &layers, const TokenInputs &inputs, mlir::Value last,
                           mlir::Value hidden, const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_DECODERMODEL_H

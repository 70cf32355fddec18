//===- PooledTokens.h - pooling of tokens -----------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_POOLEDTOKENS_H
#define HEDDLE_IMPORT_HUGGINGFACE_POOLEDTOKENS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

// Each of the following six functions computes one vector for each sequence, [batch, width], from `hidden` [batch,
// sequence, width] and `mask` i1 [batch, sequence], which is true for tokens and false for padding. In
// sentence-transformers, the functions have the names cls, lasttoken, max, mean, mean_sqrt_len_tokens and weightedmean.

/// The first token's vector; the first position's vector if there is no token.
mlir::Value firstOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
/// The last token's vector; zeros if there is no token.
mlir::Value lastOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
/// The elementwise maximum of the tokens' vectors; -inf if there is no token.
mlir::Value maximumOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
/// The mean of the tokens' vectors; zeros if there is no token.
mlir::Value meanOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
/// The sum of the tokens' vectors divided by the square root of the number of tokens; zeros if there is no token.
mlir::Value meanByRootOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
/// The weighted mean of the tokens' vectors: the first token has weight 1, and the weight grows by 1 with each
/// position. The result is zeros if there is no token.
mlir::Value weightedMeanOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);

/// Returns the first position [batch] at which `mask` [batch, positions] is true; 0 if `mask` is false everywhere.
mlir::Value firstPlace(mlir::ImplicitLocOpBuilder &builder, mlir::Value mask);
/// Returns the row of `hidden` [batch, sequence, width] at position `places[b]` for each sequence b: [batch, width].
mlir::Value takePlaces(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value places);

/// Divides each row of `rows` [batch, width] by its Euclidean length, or by 1e-12 if the length is smaller, like
/// torch.nn.functional.normalize.
mlir::Value normalizeRows(mlir::ImplicitLocOpBuilder &builder, mlir::Value rows);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_POOLEDTOKENS_H

//===- PooledTokens.h - ways to make one vector of several ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_HUGGINGFACE_POOLEDTOKENS_H
#define HEDDLE_IMPORT_HUGGINGFACE_POOLEDTOKENS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

// Of `hidden` [batch, sequence, width] and `mask` i1 [batch, sequence], true for tokens, each makes [batch, width]:
// what sentence-transformers calls cls, lasttoken, max, mean, mean_sqrt_len_tokens and weightedmean.

/// The first token's; the first position's where there is no token.
mlir::Value firstOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
/// The last token's; zeros where there is no token.
mlir::Value lastOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
mlir::Value maximumOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
mlir::Value meanOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
/// The sum divided by the root of the number of tokens.
mlir::Value meanByRootOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);
/// The first token has weight 1, what comes behind it one more each.
mlir::Value weightedMeanOfTokens(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value mask);

/// The first position [batch] at which `mask` [batch, positions] is true; 0 where it is nowhere.
mlir::Value firstPlace(mlir::ImplicitLocOpBuilder &builder, mlir::Value mask);
/// Of each entry of the batch the row of `hidden` at its place, of `places` [batch].
mlir::Value takePlaces(mlir::ImplicitLocOpBuilder &builder, mlir::Value hidden, mlir::Value places);

/// As torch.nn.functional.normalize: `rows` [batch, width] divided by their Euclidean length, at least 1e-12.
mlir::Value normalizeRows(mlir::ImplicitLocOpBuilder &builder, mlir::Value rows);

} // namespace heddle

#endif // HEDDLE_IMPORT_HUGGINGFACE_POOLEDTOKENS_H

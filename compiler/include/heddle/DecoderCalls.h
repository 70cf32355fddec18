//===- DecoderCalls.h - an imported decoder, called again and again -*- C++ -*-===//

#ifndef HEDDLE_DECODERCALLS_H
#define HEDDLE_DECODERCALLS_H

#include "heddle/Generate.h"
#include "heddle/Ranges.h"
#include "heddle/StateMemory.h"
#include "interpreter/Tensor.h"

#include <map>

namespace heddle {

/// A decoder with a state at the numbers of new tokens that it is called with.
class DecoderPoints {
public:
  /// `sizes` are those of the model that lie in ranges; that of the new tokens is each call's.
  DecoderPoints(const Model &model, NamedValues sizes);

  mlir::FailureOr<const Point *> at(size_t length);
  llvm::ArrayRef<SizeRange> allRanges() const { return ranges; }

private:
  const Model &model;
  SizeRanges ranges;
  NamedValues sizes;
  std::map<size_t, Point> points; // by the number of new tokens
};

/// The interpreter, in f64; its state begins as NaN.
class InterpretedDecoder : public DecoderCalls {
public:
  explicit InterpretedDecoder(DecoderPoints points) : points(std::move(points)) {}

  mlir::FailureOr<Tokens> next(llvm::ArrayRef<Tokens> tokens, llvm::ArrayRef<int64_t> past,
                               llvm::ArrayRef<int64_t> last) override;

private:
  DecoderPoints points;
  std::map<std::string, Tensor> states;
};

/// Compiled code.
class CompiledDecoder : public DecoderCalls {
public:
  /// `source` is what is at fault where the code is not the model's.
  CompiledDecoder(DecoderPoints points, Session &session, const heddle_executor *executor, std::string source)
      : points(std::move(points)), session(session), executor(executor), source(std::move(source)) {}

  mlir::FailureOr<Tokens> next(llvm::ArrayRef<Tokens> tokens, llvm::ArrayRef<int64_t> past,
                               llvm::ArrayRef<int64_t> last) override;

private:
  DecoderPoints points;
  Session &session;
  const heddle_executor *executor;
  std::string source;
  std::optional<StateMemory> memory; // from the first call on
};

/// The inputs of a call by name: `input_ids`, `past` and `last`.
std::map<std::string, Tensor> decoderInputs(mlir::MLIRContext *context, llvm::ArrayRef<Tokens> tokens,
                                            llvm::ArrayRef<int64_t> past, llvm::ArrayRef<int64_t> last);

} // namespace heddle

#endif // HEDDLE_DECODERCALLS_H

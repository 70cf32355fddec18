//===- DecoderCalls.h - calls of a decoder with a state ---------*- C++ -*-===//

#ifndef HEDDLE_DECODERCALLS_H
#define HEDDLE_DECODERCALLS_H

#include "heddle/Generate.h"
#include "heddle/Ranges.h"
#include "heddle/StateMemory.h"
#include "interpreter/Tensor.h"

#include <map>

namespace heddle {

/// A decoder with a state. It is imported once for each number of new tokens with which it is called.
class DecoderPoints {
public:
  /// `sizes` contains a value for each size that lies in a range, except the number of new tokens, which is set at each
  /// call.
  DecoderPoints(const Model &model, NamedValues sizes);

  /// Returns the model for calls with `length` new tokens of each sequence.
  mlir::FailureOr<const Point *> at(size_t length);
  /// Returns the sizes of the model that lie in ranges.
  llvm::ArrayRef<SizeRange> allRanges() const { return ranges; }

private:
  const Model &model;
  SizeRanges ranges;
  NamedValues sizes;
  std::map<size_t, Point> points; // by the number of new tokens
};

/// A decoder that the interpreter runs in f64. Before the first call, the elements of its states are NaN, or 0 if they
/// are integers.
class InterpretedDecoder : public DecoderCalls {
public:
  explicit InterpretedDecoder(DecoderPoints points) : points(std::move(points)) {}

  mlir::FailureOr<Tokens> next(llvm::ArrayRef<Tokens> tokens, llvm::ArrayRef<int64_t> past,
                               llvm::ArrayRef<int64_t> last) override;

private:
  DecoderPoints points;
  std::map<std::string, Tensor> states; // the contents of the states, by name
};

/// A decoder that runs as compiled code.
class CompiledDecoder : public DecoderCalls {
public:
  /// `source` names the library or the runner that the code comes from, for error messages.
  CompiledDecoder(DecoderPoints points, Session &session, const heddle_executor *executor, std::string source)
      : points(std::move(points)), session(session), executor(executor), source(std::move(source)) {}

  mlir::FailureOr<Tokens> next(llvm::ArrayRef<Tokens> tokens, llvm::ArrayRef<int64_t> past,
                               llvm::ArrayRef<int64_t> last) override;

private:
  DecoderPoints points;
  Session &session;
  const heddle_executor *executor;
  std::string source;
  std::optional<StateMemory> memory; // allocated by the first call
};

/// The inputs of a call by name: `input_ids`, `past` and `last`. The parameters are those of DecoderCalls::next.
std::map<std::string, Tensor> decoderInputs(mlir::MLIRContext *context, llvm::ArrayRef<Tokens> tokens,
                                            llvm::ArrayRef<int64_t> past, llvm::ArrayRef<int64_t> last);

} // namespace heddle

#endif // HEDDLE_DECODERCALLS_H

//===- DecoderCalls.cpp - calls of an imported decoder with a state -------===//

#include "heddle/DecoderCalls.h"

#include "heddle/Calls.h"
#include "heddle/Inputs.h"
#include "heddle/Verify.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

static constexpr StringRef lengthName = "sequence_length";

std::map<std::string, Tensor> heddle::decoderInputs(MLIRContext *context, ArrayRef<Tokens> tokens,
                                                    ArrayRef<int64_t> past, ArrayRef<int64_t> last) {
  Type i64 = IntegerType::get(context, 64);
  std::vector<int64_t> ids;
  for (const Tokens &row : tokens)
    llvm::append_range(ids, row);
  int64_t batch = tokens.size(), length = tokens.front().size();
  return {{"input_ids", Tensor({batch, length}, i64, ids)},
          {"past", Tensor({batch}, i64, past.vec())},
          {"last", Tensor({batch}, i64, last.vec())}};
}

DecoderPoints::DecoderPoints(const Model &model, NamedValues sizes)
    : model(model), ranges(rangesOf(model)), sizes(std::move(sizes)) {}

FailureOr<const Point *> DecoderPoints::at(size_t length) {
  auto known = points.find(length);
  if (known == points.end()) {
    sizes[lengthName] = length;
    SizeValues values;
    for (const SizeRange &range : ranges)
      values.push_back(sizes.lookup(range.name));
    FailureOr<Point> point = pointAt(model, ranges, values);
    if (failed(point))
      return failure();
    known = points.emplace(length, std::move(*point)).first;
  }
  return &known->second;
}

FailureOr<Tokens> InterpretedDecoder::next(ArrayRef<Tokens> tokens, ArrayRef<int64_t> past, ArrayRef<int64_t> last) {
  FailureOr<const Point *> point = points.at(tokens.front().size());
  if (failed(point))
    return failure();
  func::FuncOp main = (*point)->main();
  std::map<std::string, Tensor> inputs = decoderInputs(main.getContext(), tokens, past, last);
  SmallVector<Tensor> arguments;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    if (auto name = notes::state.get(main, i)) {
      auto type = cast<RankedTensorType>(main.getArgumentTypes()[i]);
      // Before the first call, no row of a state is filled.
      Tensor unfilled = Tensor::uninitialized(type.getShape(), type.getElementType());
      arguments.push_back(states.try_emplace(name->str(), unfilled).first->second);
    } else {
      arguments.push_back(inputs.at(argumentName(main, i)));
    }
  }
  InterpreterOptions options;
  options.weights = weightsFrom((*point)->model.weights);
  FailureOr<SmallVector<Tensor>> results = interpret(main, arguments, options);
  if (failed(results))
    return failure();
  Tokens said;
  for (auto [i, result] : llvm::enumerate(*results)) {
    if (auto name = notes::state.getOfResult(main, i))
      states[name->str()] = result;
    else if (resultName(main, i) == "next_token")
      said = result.ints().vec();
  }
  return said;
}

FailureOr<Tokens> CompiledDecoder::next(ArrayRef<Tokens> tokens, ArrayRef<int64_t> past, ArrayRef<int64_t> last) {
  FailureOr<const Point *> point = points.at(tokens.front().size());
  if (failed(point))
    return failure();
  func::FuncOp main = (*point)->main();
  FailureOr<SizeValues> sizes =
      checkInterface(session.model(), main, sizesByName(points.allRanges(), (*point)->sizes), source);
  if (failed(sizes))
    return failure();
  session.setSizes(*sizes);
  if (!memory) {
    memory.emplace(session);
    if (heddle_status status = memory->init()) {
      llvm::errs() << source << ": error: " << heddle_status_text(status) << "\n";
      return failure();
    }
  }
  std::map<std::string, Tensor> named = decoderInputs(main.getContext(), tokens, past, last);
  SmallVector<std::optional<Tensor>> inputs;
  for (const Port &port : inputPorts(main))
    inputs.push_back(named.at(port.name));
  FailureOr<SmallVector<Tensor>> results = call(session, main, inputs, executor, &memory->get());
  if (failed(results))
    return failure();
  Tokens said;
  for (auto [port, result] : llvm::zip_equal(outputPorts(main), *results))
    if (port.name == "next_token")
      said = result.ints().vec();
  return said;
}

//===- ElementProgram.cpp - decoded scalar bodies -------------------------===//

#include "interpreter/ElementProgram.h"
#include "interpreter/Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace heddle;

Column ElementProgram::allocate() {
  static_assert(sizeof(double) == sizeof(int64_t));
  storage.push_back(std::make_unique<int64_t[]>(width));
  Column column;
  column.ints = storage.back().get();
  return column;
}

FailureOr<ElementProgram> ElementProgram::decode(Block &body, Evaluator &evaluator) {
  ElementProgram program;
  DenseMap<Value, Column> columns;
  for (BlockArgument argument : body.getArguments()) {
    columns[argument] = program.allocate();
    program.arguments.push_back(columns[argument]);
  }

  // A scalar with the same value at every point is written to all elements of its column here, not in each run.
  auto fill = [&](Value value, const Tensor &scalar) {
    Column column = columns[value] = program.allocate();
    if (scalar.isFloat())
      std::fill_n(column.floats, width, scalar.floats()[0]);
    else
      std::fill_n(column.ints, width, scalar.ints()[0]);
  };
  auto lookup = [&](Value operand) -> Column {
    const Tensor *outside = columns.contains(operand) ? nullptr : evaluator.find(operand);
    if (outside && outside->rank() == 0 && !isa<ShapedType>(operand.getType()))
      fill(operand, *outside);
    return columns.lookup(operand); // null for a shaped value, which ops read from the evaluator
  };

  for (Operation &op : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      columns[index.getResult()] = program.allocate();
      program.indexColumns.push_back({index.getDim(), columns[index.getResult()]});
      continue;
    }
    auto evaluable = dyn_cast<EvaluateInterface>(op);
    if (evaluable && op.hasTrait<OpTrait::ConstantLike>()) {
      SmallVector<Tensor> results;
      if (failed(evaluable.evaluate({}, evaluator, results)))
        return failure();
      fill(op.getResult(0), results[0]);
      continue;
    }
    Instruction instruction;
    if (evaluable)
      instruction.lanes = evaluable.getLanes(evaluator);
    if (!instruction.lanes)
      return op.emitError() << "the interpreter does not support '" << op.getName() << "' on scalars";
    for (Value operand : op.getOperands())
      instruction.operands.push_back(lookup(operand));
    for (Value result : op.getResults()) {
      columns[result] = program.allocate();
      instruction.results.push_back(columns[result]);
      if (roundsToNarrow(result.getType(), evaluator))
        instruction.rounded.push_back({cast<FloatType>(result.getType()), columns[result]});
    }
    program.instructions.push_back(std::move(instruction));
  }
  for (Value operand : body.getTerminator()->getOperands())
    program.yields.push_back(lookup(operand));
  return program;
}

LogicalResult ElementProgram::run(int64_t n) const {
  for (const Instruction &instruction : instructions) {
    if (failed(instruction.lanes(instruction.operands, instruction.results, n)))
      return failure();
    for (auto [type, column] : instruction.rounded)
      for (double &element : MutableArrayRef(column.floats, n))
        element = roundTo(type, element);
  }
  return success();
}

//===- ModelPorts.cpp - inputs and outputs of a graph ---------------------===//

#include "Converter.h"

#include "sizes/HiddenSize.h"
#include "sizes/SizeScope.h"
#include "sizes/Sums.h"
#include "states/PastToStates.h"

#include "Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Computes the type of every input (`inputTypes`). Each dynamic dimension gets the size or the placeholder that the
/// options contain for its name. Emits an error if the options lack a size.
LogicalResult Converter::resolveInputs() {
  std::vector<std::string> known;
  SmallVector<OpenDim> open;
  llvm::StringMap<int64_t> sizes;
  for (Port &port : graph.inputs) {
    if (!port.hasShape)
      return emitError(loc) << "input '" << port.name << "' has no shape";
    for (auto [i, axis] : llvm::enumerate(port.axes)) {
      if (axis.size >= 0)
        continue;
      if (axis.name.empty())
        axis.name = port.name + "." + std::to_string(i);
      if (auto sum = options.sumNames.find(axis.name); sum != options.sumNames.end())
        axis.name = sum->second;
      if (!llvm::is_contained(known, axis.name))
        known.push_back(axis.name);
    }
  }
  for (Port &port : graph.inputs)
    for (auto [i, axis] : llvm::enumerate(port.axes)) {
      if (axis.size >= 0)
        continue;
      // A dimension such as past + new is a sum of other dimensions, and the user need not give its size.
      bool isSum = false;
      FailureOr<std::optional<int64_t>> size = sizeOfDim(loc, options, axis.name, known, isSum);
      if (failed(size))
        return failure();
      if (!*size && !isSum)
        addOpenDim(open, axis.name, {port.name, i, port.axes.size()});
      sizes[axis.name] = size->value_or(0);
    }
  // `options.hidden` is set if the model has a growing past, which becomes states. The user then also gives a size for
  // the capacity of the states.
  if (options.hidden) {
    known.push_back(capacityDim.str());
    if (!options.dims.count(capacityDim))
      open.push_back({capacityDim.str(), /*suggestion=*/128, {}});
  }
  if (failed(checkDimNames(loc, options, known)) || failed(reportOpenDims(loc, options, open)))
    return failure();

  for (Port &port : graph.inputs) {
    Numbers shape, maximum;
    for (Port::Axis &axis : port.axes) {
      shape.push_back(axis.size >= 0 ? axis.size : sizes.lookup(axis.name));
      maximum.push_back(dimOf(shape.back()).high());
    }
    if (!countElements(ArrayRef<int64_t>(maximum)))
      return emitError(loc) << "input '" << port.name << "' has shape " << shapeText(shape)
                            << ": a tensor may have at most " << maxElements << " elements and " << maxRank
                            << " dimensions";
    inputTypes.push_back(RankedTensorType::get(shape, port.element));
  }
  return success();
}

/// Creates the module with the function `main`, and the annotations of its arguments.
LogicalResult Converter::createFunction() {
  OpBuilder b(&context);
  model.module = ModuleOp::create(loc);
  if (!replacedInputs.empty())
    notes::replacedInputs.set(*model.module, Strings(replacedInputs.begin(), replacedInputs.end()));
  b.setInsertionPointToEnd(model.module->getBody());
  SmallVector<Type> types(inputTypes.begin(), inputTypes.end());
  func = func::FuncOp::create(b, loc, "main", b.getFunctionType(types, {}));
  Block *body = func.addEntryBlock();
  for (auto [i, port] : llvm::enumerate(graph.inputs)) {
    notes::name.set(func, i, port.name);
    Strings dims;
    for (Port::Axis &axis : port.axes)
      dims.push_back(axis.size >= 0 ? StringRef() : StringRef(axis.name));
    if (llvm::any_of(dims, [](StringRef name) { return !name.empty(); }))
      notes::dims.set(func, i, dims);
    if (states.count(port.name))
      notes::state.set(func, i, port.name);
    if ((!states.empty() || options.hidden) && port.name == pastInput)
      notes::statePast.set(func, i);
    if (!values.try_emplace(port.name, body->getArgument(i)).second)
      return emitError(loc) << "two inputs have the same name '" << port.name << "'";
  }
  return success();
}

/// Emits a tensor of this shape with the positions past, past + 1, .. along the last dimension. Returns null if all
/// sizes are fixed and the last dimension exceeds `foldLimit`, the maximum number of elements of a constant that the
/// importer computes.
static Value emitPositions(Emitter &b, ArrayRef<Dim> shape, const Dim &past) {
  std::optional<SmallVector<int64_t>> fixed = fixedNumbers(shape);
  if (!fixed || !past.isFixed()) {
    SizeExpression place = SizeExpression::place(unsigned(shape.size()) - 1);
    return SizedTensor::ofFormula(shape, b.getI64Type(), past.asExpression() + place).emit(b);
  }
  if (fixed->back() > foldLimit)
    return {};
  auto positions = llvm::to_vector(llvm::seq(*past.number(), *past.number() + fixed->back()));
  auto type = RankedTensorType::get(fixed->back(), b.getI64Type());
  return b.broadcast(b.constant(DenseElementsAttr::get(type, ArrayRef(positions))), shape);
}

/// Emits the values of the removed inputs that the states determine (`derivedInputs`), as functions of the length of
/// the past and the number of new tokens.
LogicalResult Converter::computeDerivedInputs() {
  if (derivedInputs.empty())
    return success();
  Dim past = dimOf(options.dims.lookup(options.hidden->range.name));
  Emitter b(loc, &func.front(), model.weights, foldedBytes);
  auto extent = [&](const Port::Axis &axis) {
    return dimOf(axis.size >= 0 ? axis.size : options.dims.lookup(axis.name));
  };
  for (const DerivedInput &input : derivedInputs) {
    Shape shape;
    for (const Port::Axis &axis : input.port.axes)
      shape.push_back(extent(axis));
    if (input.kind == DerivedInput::Ones)
      shape.back() = past + shape.back();
    Value value =
        input.kind == DerivedInput::Ones ? b.splat(shape, input.port.element, 1) : emitPositions(b, shape, past);
    if (!value)
      return emitError(loc) << "--state: '" << input.port.name << "' would contain the positions of "
                            << shape.back().text() << " new tokens: expected at most " << foldLimit;
    if (!values.try_emplace(input.port.name, value).second)
      return emitError(loc) << "two inputs have the same name '" << input.port.name << "'";
  }
  return success();
}

/// Ends `main` with the outputs of the graph. Emits an error if an output appears twice, is not computed, is empty, or
/// does not have its declared type.
LogicalResult Converter::returnOutputs() {
  OpBuilder b = OpBuilder::atBlockEnd(&func.front());
  SmallVector<Value> results;
  llvm::StringSet<> names;
  for (const Port &port : graph.outputs) {
    if (!names.insert(port.name).second)
      return emitError(loc) << "output '" << port.name << "' appears twice";
    if (!values.count(port.name) && !initializers.count(port.name))
      return emitError(loc) << "output '" << port.name << "' is not computed by any node";
    FailureOr<Value> value = lookUp(port.name);
    if (failed(value))
      return failure();
    if (elementOf(*value) != port.element)
      return emitError(loc) << "output '" << port.name << "' is declared with elements of " << port.element
                            << ", but its node computes " << typeText(*value);
    Shape shape = shapeOf(*value);
    // If sizes lie in ranges, the model is also imported at individual sizes, for which an output may be empty.
    if (isEmpty(shape) && (options.bounds.empty() || SizeScope::current()))
      return emitError(loc) << "output '" << port.name << "' is empty: " << typeText(*value);
    bool fits = !port.hasShape || shape.size() == port.axes.size();
    for (size_t i = 0; fits && i < port.axes.size() && port.hasShape; ++i)
      fits = port.axes[i].size < 0 || shape[i] == port.axes[i].size;
    if (!fits)
      return emitError(loc) << "output '" << port.name << "' is declared with another shape than " << shapeText(shape)
                            << ", which its node computes";
    results.push_back(*value);
  }
  func::ReturnOp::create(b, loc, results);
  func.setFunctionType(b.getFunctionType(func.getArgumentTypes(), TypeRange(ValueRange(results))));
  for (auto [i, port] : llvm::enumerate(graph.outputs)) {
    notes::name.setOfResult(func, i, port.name);
    for (const auto &[before, after] : states)
      if (after == port.name)
        notes::state.setOfResult(func, i, before);
  }
  return success();
}

//===- GrowingPastTest.h - models with a growing past -----------*- C++ -*-===//
//
// A decoder may have earlier keys and values, the past, as inputs of any length. With the option --state, the importer
// replaces these inputs by states, tensors that the model keeps from call to call. The tests import each file with
// --state, and also without --state for each number of earlier positions. The results of both models must be equal.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_IMPORT_GROWINGPASTTEST_H
#define HEDDLE_TESTS_IMPORT_GROWINGPASTTEST_H

#include "OnnxBuilder.h"

#include "Notes.h"

#include <cmath>
#include <set>

struct GrowingPastTest : OnnxTest {
  using Tensor = heddle::Tensor;
  using Inputs = std::map<std::string, Tensor>;

  /// Gives the dimensions of an input the names in `names` and makes them dynamic. A dimension with the name "" remains
  /// fixed.
  static void open(onnx::ValueInfoProto &port, const std::vector<std::string> &names) {
    auto &shape = *port.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty())
        shape.mutable_dim(int(i))->set_dim_param(names[i]);
  }

  /// Returns a model that computes `scores`, which is q k^T, where k consists of earlier and new positions. The model
  /// has no outputs yet. Tests may change the scores; finish() then adds the rest of softmax(q k^T) v.
  static OnnxBuilder attention() {
    OnnxBuilder b(17);
    open(b.input("q", {1, 2, 1, 3}), {"batch", "", "new", ""});
    for (const char *part : {"key", "value"}) {
      std::string name = part;
      open(b.input("new_" + name, {1, 2, 1, 3}), {"batch", "", "new", ""});
      open(b.input("past_" + name, {1, 2, 1, 3}), {"batch", "", "past", ""});
      OnnxBuilder::set(b.node("Concat", {"past_" + name, "new_" + name}, {"present_" + name}), "axis", int64_t(2));
    }
    OnnxBuilder::set(b.node("Transpose", {"present_key"}, {"transposed_key"}), "perm", OnnxBuilder::Dims{0, 1, 3, 2});
    b.node("MatMul", {"q", "transposed_key"}, {"scores"});
    return b;
  }
  /// Adds the result softmax(scores) v, where `scores` is the name of a value, and the outputs.
  static void finish(OnnxBuilder &b, const char *scores) {
    OnnxBuilder::set(b.node("Softmax", {scores}, {"weights"}), "axis", int64_t(-1));
    b.node("MatMul", {"weights", "present_value"}, {"y"}).set_name("values");
    for (const char *name : {"y", "present_key", "present_value"})
      b.output(name);
  }
  /// Adds two vectors: `places` [new] contains the new positions, and `keys` [past + new] contains all positions.
  static void positions(OnnxBuilder &b) {
    b.ints("two", {}, {2});
    b.ints("nought", {}, {0});
    b.ints("step", {}, {1});
    b.ints("one", {1}, {1});
    for (auto [of, name] : {std::pair("past_key", "past_length"), std::pair("present_key", "length")}) {
      b.node("Shape", {of}, {std::string(name) + "_shape"});
      b.node("Gather", {std::string(name) + "_shape", "two"}, {name});
    }
    b.node("Range", {"past_length", "length", "step"}, {"places"});
    b.node("Range", {"nought", "length", "step"}, {"keys"});
  }

  /// Adds integer inputs with these names. attention_mask is [batch, total]; all other inputs are [batch, new].
  static void tokenInputs(OnnxBuilder &b, const std::vector<std::string> &names) {
    for (const std::string &name : names)
      open(b.input(name, {1, 1}, onnx::TensorProto::INT64), {"batch", name == "attention_mask" ? "total" : "new"});
  }
  /// Adds the constant `table` of shape `shape`, whose elements are all different.
  static void cosines(OnnxBuilder &b, const std::vector<int64_t> &shape) {
    std::vector<float> table(llvm::product_of(shape));
    for (auto [i, value] : llvm::enumerate(table))
      value = float(std::cos(double(i)));
    b.floats("table", shape, table);
  }

  /// Runs several calls of a file whose dimensions have the names batch, new and past, with and without states. `rows`
  /// is the number of new positions in each call, and `capacity` is the number of positions of the states. `pasts`
  /// contains, for each call, the number of earlier positions of each sequence; it is at most the number of positions
  /// that earlier calls have written. Both models get the same inputs. Returns a description of the first call and
  /// output whose results differ, or "".
  std::string compare(const std::string &path, int64_t batch, int64_t rows, int64_t capacity,
                      const std::vector<std::vector<int64_t>> &pasts) {
    heddle::ImportOptions stateOptions;
    stateOptions.state = true;
    stateOptions.dims = {{"batch", batch}, {"new", rows}, {"capacity", capacity}};
    mlir::FailureOr<heddle::Model> withStates = heddle::importModel(context, path, stateOptions);
    if (failed(withStates))
      return "with states: " + context.take();
    auto main = withStates->module->lookupSymbol<mlir::func::FuncOp>("main");
    Inputs states;
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (auto state = heddle::notes::state.get(main, i)) {
        auto type = llvm::cast<mlir::RankedTensorType>(main.getArgumentTypes()[i]);
        states[state->str()] = Tensor::uninitialized(type.getShape(), type.getElementType());
      }
    for (size_t call = 0; call < pasts.size(); ++call) {
      Inputs inputs = states;
      for (unsigned i = 0; i < main.getNumArguments(); ++i) {
        std::string name = heddle::notes::name.get(main, i)->str();
        auto type = llvm::cast<mlir::RankedTensorType>(main.getArgumentTypes()[i]);
        if (!states.count(name))
          inputs[name] = name == "past" ? Tensor(type.getShape(), type.getElementType(), pasts[call])
                                        : inputOf(type, int64_t(call) * 10 + i);
      }
      auto found = tryReference(*withStates, inputs);
      if (failed(found))
        return "call " + std::to_string(call) + ": " + context.take();
      for (int64_t past : std::set<int64_t>(pasts[call].begin(), pasts[call].end()))
        if (std::string wrong = compareWith(path, batch, rows, past, pasts[call], inputs, *found); !wrong.empty())
          return "call " + std::to_string(call) + ", past " + std::to_string(past) + ": " + wrong;
      for (unsigned i = 0; i < main.getNumResults(); ++i)
        if (auto state = heddle::notes::state.getOfResult(main, i))
          states[state->str()] = found->at(heddle::notes::name.getOfResult(main, i)->str());
    }
    return "";
  }

  /// Calls `compare` for a file that a builder creates.
  std::string compareCalls(const OnnxBuilder &b, int64_t batch, int64_t rows, int64_t capacity,
                           const std::vector<std::vector<int64_t>> &pasts) {
    return compare(dir.write("model.onnx", b.model.SerializeAsString()), batch, rows, capacity, pasts);
  }

private:
  /// Returns an input of this type, whose elements depend on `seed`. Integers are in 0 .. 10.
  Tensor inputOf(mlir::RankedTensorType type, int64_t seed) {
    if (llvm::isa<mlir::IntegerType>(type.getElementType())) {
      std::vector<int64_t> tokens(type.getNumElements());
      for (size_t i = 0; i < tokens.size(); ++i)
        tokens[i] = (7 * int64_t(i) + 3 * seed) % 11;
      return Tensor(type.getShape(), type.getElementType(), tokens);
    }
    Tensor tensor(type.getShape(), type.getElementType());
    for (auto [i, value] : llvm::enumerate(tensor.mutableFloats()))
      value = std::sin(double(7 * i) + 13 * double(seed));
    return tensor;
  }

  /// Compares the results `found` of the model with states with the results of the model without states, for the
  /// sequences that have `past` earlier positions.
  std::string compareWith(const std::string &path, int64_t batch, int64_t rows, int64_t past,
                          const std::vector<int64_t> &pasts, const Inputs &inputs, const Inputs &found) {
    heddle::ImportOptions optionsWithoutStates;
    optionsWithoutStates.mayBeEmpty = true;
    optionsWithoutStates.dims = {{"batch", batch}, {"new", rows}, {"past", past}};
    if (usesTotal)
      optionsWithoutStates.dims["total"] = past + rows;
    mlir::FailureOr<heddle::Model> withoutStates = heddle::importModel(context, path, optionsWithoutStates);
    if (failed(withoutStates))
      return context.take();
    auto main = withoutStates->module->lookupSymbol<mlir::func::FuncOp>("main");
    Inputs inputsWithoutStates = inputs;
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      std::string name = heddle::notes::name.get(main, i)->str();
      auto type = llvm::cast<mlir::RankedTensorType>(main.getArgumentTypes()[i]);
      if (name == "attention_mask")
        inputsWithoutStates[name] =
            Tensor(type.getShape(), type.getElementType(), std::vector<int64_t>(type.getNumElements(), 1));
      else if (name == "position_ids")
        inputsWithoutStates[name] = positions(type, past);
      else if (inputs.count(name) && inputs.at(name).shape() != type.getShape())
        inputsWithoutStates[name] = beginning(inputs.at(name), past);
    }
    auto wanted = tryReference(*withoutStates, inputsWithoutStates);
    if (failed(wanted))
      return context.take();
    for (const auto &[name, tensor] : *wanted) {
      Tensor ours = found.at(name);
      if (ours.shape() != tensor.shape()) // for a state, only the written rows are compared
        ours = beginning(ours, past + rows);
      size_t count = tensor.floats().size() / size_t(batch);
      for (int64_t b = 0; b < batch; ++b)
        for (size_t i = size_t(b) * count; pasts[b] == past && i < size_t(b + 1) * count; ++i)
          if (!(std::abs(tensor.floats()[i] - ours.floats()[i]) < 1e-6))
            return name + " differs at " + std::to_string(i) + ": " + std::to_string(ours.floats()[i]) + ", expected " +
                   std::to_string(tensor.floats()[i]);
    }
    return "";
  }

  /// Returns position_ids [batch, new]: the positions of the new tokens, which follow the past.
  Tensor positions(mlir::RankedTensorType type, int64_t past) {
    std::vector<int64_t> values(type.getNumElements());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = past + int64_t(i) % type.getShape().back();
    return Tensor(type.getShape(), type.getElementType(), values);
  }

  /// Returns the first rows of a state [batch, heads, capacity, size]. Elements that were not written, which are NaN,
  /// become zeros.
  static Tensor beginning(const Tensor &state, int64_t rows) {
    llvm::SmallVector<int64_t> shape(state.shape());
    int64_t capacity = shape[2], size = shape[3];
    shape[2] = rows;
    Tensor part(shape, state.elementType());
    size_t next = 0;
    for (auto [i, value] : llvm::enumerate(state.floats()))
      if (int64_t(i) / size % capacity < rows)
        part.mutableFloats()[next++] = std::isnan(value) ? 0 : value;
    return part;
  }

protected:
  bool usesTotal = false; // whether the file has a dimension named `total`, whose size is past + new
};

/// Returns `pasts` for GrowingPastTest::compare: calls that fill the capacity one after another, and then calls in
/// which the sequences begin at different positions.
inline std::vector<std::vector<int64_t>> script(int64_t batch, int64_t rows, int64_t capacity) {
  std::vector<std::vector<int64_t>> pasts;
  for (int64_t call = 0; call * rows + rows <= capacity; ++call)
    pasts.push_back(std::vector<int64_t>(batch, call * rows));
  for (int64_t back : {0, 1, 2}) {
    std::vector<int64_t> ragged;
    for (int64_t i = 0; i < batch; ++i)
      ragged.push_back((back + i) % (capacity - rows + 1));
    pasts.push_back(ragged);
  }
  return pasts;
}

/// Expects equal results with and without states for several batch sizes, numbers of new rows, and capacities.
#define EXPECT_EQUAL_CALLS(builder)                                                                                    \
  for (int64_t batch : {1, 2, 3})                                                                                      \
    for (int64_t rows : {1, 2, 3})                                                                                     \
      for (int64_t capacity : {4, 6})                                                                                  \
  EXPECT_EQ(compareCalls(builder, batch, rows, capacity, script(batch, rows, capacity)), "")                           \
      << "batch " << batch << ", rows " << rows << ", capacity " << capacity

#endif // HEDDLE_TESTS_IMPORT_GROWINGPASTTEST_H

//===- AdversarialInputs.cpp - numerically hard inputs --------------------===//
//
// Each case changes random inputs so that they are numerically hard for the
// operations that use them.
//
//===----------------------------------------------------------------------===//

#include "heddle/Verify.h"

#include "InputRoles.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const double notANumber = std::numeric_limits<double>::quiet_NaN();

namespace {
/// The inputs of one case and their roles.
struct Inputs {
  SmallVector<Tensor> tensors;
  SmallVector<InputRole> roles;
  // An attention operation that uses at least one of the inputs, or null if there is none.
  AttentionOp attention;

  bool has(InputRole role) const { return llvm::is_contained(roles, role); }

  /// Calls `change` with each float input that has elements and one of these roles. Returns false if there is none.
  bool each(ArrayRef<InputRole> wanted, function_ref<void(Tensor &)> change) {
    bool any = false;
    for (auto [tensor, role] : llvm::zip(tensors, roles))
      if (tensor.isFloat() && tensor.size() && llvm::is_contained(wanted, role)) {
        change(tensor);
        any = true;
      }
    return any;
  }
  bool scaled(ArrayRef<InputRole> wanted, double factor) {
    return each(wanted, [&](Tensor &tensor) {
      for (double &x : tensor.mutableFloats())
        x *= factor;
    });
  }
};

/// A case of hard inputs.
struct Hard {
  StringLiteral name;
  bool (*apply)(Inputs &); // returns false if the case does not apply to these inputs
};
} // namespace

static constexpr InputRole data[] = {InputRole::Other, InputRole::Query, InputRole::Key, InputRole::Value, InputRole::Normed, InputRole::Scores};

static int64_t lineLength(const Tensor &tensor) { return tensor.rank() ? tensor.shape().back() : 1; }

/// Sets one element of row `row` to `value`. The position of the element is the same in each row.
static void setElement(Tensor &tensor, int64_t row, double value) {
  int64_t length = lineLength(tensor);
  tensor.mutableFloats()[row * length + length / 3] = value;
}

static bool makeEqual(Inputs &in) {
  return in.each({InputRole::Other, InputRole::Query, InputRole::Key, InputRole::Scores}, [](Tensor &tensor) {
    llvm::fill(tensor.mutableFloats(), 0.75);
  });
}

/// Makes all elements of each row equal, so that the variance of the row is zero.
static bool makeRowsConstant(Inputs &in) {
  return in.each(InputRole::Normed, [](Tensor &tensor) {
    int64_t length = lineLength(tensor);
    for (auto [i, x] : llvm::enumerate(tensor.mutableFloats()))
      x = double(int64_t(i) / length % 7) * 0.375 - 1;
  });
}

/// Adds 1000 to all elements, so that their mean is large compared with their standard deviation.
static bool moveMeans(Inputs &in) {
  return in.each(InputRole::Normed, [](Tensor &tensor) {
    for (double &x : tensor.mutableFloats())
      x = double(float(1000 + x));
  });
}

/// Sets one element of each row to a number that is much larger than all others.
static bool addOutliers(Inputs &in) {
  return in.each(InputRole::Normed, [](Tensor &tensor) {
    int64_t length = lineLength(tensor);
    for (int64_t start = 0; start < tensor.size(); start += length)
      tensor.mutableFloats()[start + start / length % length] = 1e6;
  });
}

/// Makes one key, or one score of each row, so large that it receives nearly all of the probability.
static bool makeOneDominant(Inputs &in) {
  bool scores = in.each(InputRole::Scores, [](Tensor &tensor) {
    int64_t length = lineLength(tensor);
    for (int64_t start = 0; start < tensor.size(); start += length)
      tensor.mutableFloats()[start + length / 2] = 1e4;
  });
  if (!in.has(InputRole::Query) || !in.has(InputRole::Key))
    return scores;
  in.each(InputRole::Query, [](Tensor &tensor) {
    for (double &x : tensor.mutableFloats())
      x = std::fabs(x);
  });
  return in.each(InputRole::Key, [](Tensor &tensor) {
    int64_t length = lineLength(tensor), rows = tensor.size() / length;
    for (int64_t i = 0; i < length; ++i)
      tensor.mutableFloats()[rows / 2 * length + i] = 100;
  });
}

/// Sets some elements, and all elements of one row, to `removed`, which is -inf or the lowest finite number.
static bool removeScores(Inputs &in, double removed) {
  return in.each({InputRole::Bias, InputRole::Scores}, [&](Tensor &tensor) {
    int64_t length = lineLength(tensor);
    for (auto [i, x] : llvm::enumerate(tensor.mutableFloats()))
      if (int64_t(i) / length == tensor.size() / length / 2 || i % 5 == 3)
        x = removed;
  });
}

/// Sets each element of the masks to `value(i, length)`, where i is its index in its row of `length` elements.
static bool fillMasks(Inputs &in, function_ref<int64_t(int64_t, int64_t)> value) {
  bool any = false;
  for (auto [tensor, role] : llvm::zip(in.tensors, in.roles)) {
    if (role != InputRole::Mask)
      continue;
    int64_t length = lineLength(tensor);
    for (auto [i, x] : llvm::enumerate(tensor.mutableInts()))
      x = value(int64_t(i) % length, length);
    any = true;
  }
  return any;
}

static bool maskAllRows(Inputs &in) {
  bool any = fillMasks(in, [](int64_t, int64_t) { return 0; });
  for (auto [tensor, role] : llvm::zip(in.tensors, in.roles))
    if (role == InputRole::Lengths) {
      llvm::fill(tensor.mutableInts(), 0);
      any = true;
    }
  return any;
}

/// Sets masks so that they remove the last key, and lengths so that they remove the second half of the keys. Sets
/// removed rows of keys and values, such as the unused rows of a cache, to NaN and infinities.
static bool setBadRemovedKeys(Inputs &in) {
  AttentionOp op = in.attention;
  if (!op || !in.has(InputRole::Value))
    return false;
  bool masks = in.has(InputRole::Mask) && !op.getMaskedScore(), lengths = in.has(InputRole::Lengths);
  if (!masks && !lengths && op.getCausal() == Causal::None && !op.getWindow())
    return false;
  fillMasks(in, [](int64_t i, int64_t length) { return i != length - 1; });
  int64_t keys = op.getSizes().keys;
  for (auto [tensor, role] : llvm::zip(in.tensors, in.roles))
    if (role == InputRole::Lengths)
      llvm::fill(tensor.mutableInts(), keys / 2);
  auto spoilKeys = [&](Tensor &tensor, Layout layout) {
    MutableArrayRef<double> elements = tensor.mutableFloats();
    int64_t size = tensor.dim(3), heads = layout == Layout::Bhsd ? 1 : tensor.dim(2);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      int64_t key = i / size / heads % keys;
      if (key == keys - 1 || (lengths && key >= keys / 2))
        elements[i] = i % 2 ? infinity : notANumber;
    }
  };
  // If only a causal mask or a window removes keys, some queries attend to the last key. In this case, only the values
  // of the last key become NaN or infinite, and the key itself stays finite.
  if (masks || lengths)
    in.each(InputRole::Key, [&](Tensor &tensor) { spoilKeys(tensor, op.getKeyLayout()); });
  return in.each(InputRole::Value, [&](Tensor &tensor) { spoilKeys(tensor, op.getValueLayout()); });
}

/// Sets an element in a middle row and an element in the last row of one input to `value`. (If the model computes keys
/// from this input and has a causal mask, only the last query attends to the last row.)
static bool setBadRow(Inputs &in, double value) {
  // Change only one input. Since all other inputs are finite, the positions of NaN and infinities in the results show
  // which results depend on the changed elements.
  for (InputRole role : {InputRole::Query, InputRole::Scores, InputRole::Normed, InputRole::Other})
    for (auto [tensor, its] : llvm::zip(in.tensors, in.roles))
      if (its == role && tensor.isFloat() && tensor.size()) {
        int64_t rows = tensor.size() / lineLength(tensor);
        setElement(tensor, rows / 2, value);
        setElement(tensor, rows - 1, value);
        return true;
      }
  return false;
}

/// Sets one element of a row to NaN, one of another row to infinity, and one of a third row to -infinity, in each float
/// input that has more than three rows and is no weight or bias.
static bool setBadEverywhere(Inputs &in) {
  return in.each(data, [](Tensor &tensor) {
    int64_t rows = tensor.size() / lineLength(tensor);
    const double values[] = {notANumber, infinity, -infinity};
    for (auto [i, value] : llvm::enumerate(values))
      if (rows > 3)
        setElement(tensor, rows * int64_t(i + 1) / 4, value);
  });
}

static const Hard cases[] = {
    {"huge", [](Inputs &in) {
       bool normed = in.scaled(InputRole::Normed, 1e15);
       return in.scaled({InputRole::Other, InputRole::Query, InputRole::Key, InputRole::Value, InputRole::Scores}, 1e6) || normed;
     }},
    {"tiny", [](Inputs &in) {
       bool normed = in.scaled(InputRole::Normed, 1e-20);
       return in.scaled({InputRole::Other, InputRole::Query, InputRole::Key, InputRole::Value, InputRole::Scores}, 1e-10) || normed;
     }},
    {"denormal", [](Inputs &in) { return in.scaled(data, 1e-40); }},
    {"zero", [](Inputs &in) { return in.scaled(data, 0); }},
    {"large-scores", [](Inputs &in) { return in.scaled({InputRole::Query, InputRole::Scores}, 100); }},
    {"equal", makeEqual},
    {"one-dominant", makeOneDominant},
    {"removed-scores", [](Inputs &in) { return removeScores(in, -infinity); }},
    {"lowest-scores", [](Inputs &in) { return removeScores(in, std::numeric_limits<float>::lowest()); }},
    {"zero-variance", makeRowsConstant},
    {"large-mean", moveMeans},
    {"outlier", addOutliers},
    {"all-masked", maskAllRows},
    {"one-kept", [](Inputs &in) { return fillMasks(in, [](int64_t i, int64_t) { return i == 0; }); }},
    {"all-kept", [](Inputs &in) { return fillMasks(in, [](int64_t, int64_t) { return 1; }); }},
    {"removed-not-finite", setBadRemovedKeys},
    {"nan", [](Inputs &in) { return setBadRow(in, notANumber); }},
    {"infinity", [](Inputs &in) { return setBadRow(in, infinity); }},
    {"minus-infinity", [](Inputs &in) { return setBadRow(in, -infinity); }},
    {"not-finite", setBadEverywhere},
};

static Inputs inputsOf(func::FuncOp function, SmallVector<Tensor> tensors) {
  Inputs inputs{std::move(tensors), {}, {}};
  for (BlockArgument argument : function.getArguments())
    inputs.roles.push_back(roleOfInput(argument, inputs.attention));
  return inputs;
}

unsigned heddle::countAdversarialInputs(func::FuncOp function) {
  // Whether a case applies does not depend on the extents of the inputs, unless an extent is 0. So replace each other
  // extent by 1.
  SmallVector<Tensor> small;
  for (Type type : function.getArgumentTypes()) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    if (!shaped || Tensor::byteWidth(shaped.getElementType()) == 0)
      return 0; // an unsupported type; adversarialInputs reports the error
    auto shape = llvm::map_to_vector(shaped.getShape(), [](int64_t size) { return int64_t(size != 0); });
    small.push_back(Tensor(shape, shaped.getElementType()));
  }
  Inputs inputs = inputsOf(function, std::move(small));
  return llvm::count_if(cases, [&inputs](const Hard &hard) {
    Inputs changed = inputs;
    return hard.apply(changed);
  });
}

FailureOr<std::vector<InputCase>> heddle::adversarialInputs(func::FuncOp function, uint64_t seed) {
  FailureOr<SmallVector<Tensor>> ordinary = randomInputs(function, seed);
  if (failed(ordinary))
    return failure();
  Inputs inputs = inputsOf(function, std::move(*ordinary));
  std::vector<InputCase> result;
  for (const Hard &hard : cases) {
    Inputs changed = inputs;
    if (!hard.apply(changed))
      continue;
    // Round the elements to their element type.
    for (Tensor &tensor : changed.tensors)
      tensor = *Tensor::fromBytes(tensor.shape(), tensor.elementType(), tensor.toBytes());
    result.push_back({hard.name.str(), std::move(changed.tensors)});
  }
  return result;
}

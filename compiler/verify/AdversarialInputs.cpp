//===- AdversarialInputs.cpp - numerically hard inputs --------------------===//
//
// Each case changes random inputs so that they are numerically hard for the
// operations that use them. An operation that uses an input, possibly after
// reshapes and transposes, determines the role of the input.
//
//===----------------------------------------------------------------------===//

#include "heddle/Verify.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const double notANumber = std::numeric_limits<double>::quiet_NaN();

namespace {
/// The role of an input. Other: floats without a special role; Positions: integers that no case changes.
enum class Role { Other, Query, Key, Value, Bias, Mask, Lengths, Normed, Scores, Weight, Positions };

/// The inputs of one case and their roles.
struct Inputs {
  SmallVector<Tensor> tensors;
  SmallVector<Role> roles;
  // An attention operation that uses at least one of the inputs, or null if there is none.
  AttentionOp attention;

  bool has(Role role) const { return llvm::is_contained(roles, role); }

  /// Calls `change` with each float input that has elements and one of these roles. Returns false if there is none.
  bool each(ArrayRef<Role> wanted, function_ref<void(Tensor &)> change) {
    bool any = false;
    for (auto [tensor, role] : llvm::zip(tensors, roles))
      if (tensor.isFloat() && tensor.size() && llvm::is_contained(wanted, role)) {
        change(tensor);
        any = true;
      }
    return any;
  }
  bool scaled(ArrayRef<Role> wanted, double factor) {
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

static constexpr Role data[] = {Role::Other, Role::Query, Role::Key, Role::Value, Role::Normed, Role::Scores};

static int64_t lineLength(const Tensor &tensor) { return tensor.rank() ? tensor.shape().back() : 1; }

/// Sets one element of row `row` to `value`. The position of the element is the same in each row.
static void setElement(Tensor &tensor, int64_t row, double value) {
  int64_t length = lineLength(tensor);
  tensor.mutableFloats()[row * length + length / 3] = value;
}

static bool makeEqual(Inputs &in) {
  return in.each({Role::Other, Role::Query, Role::Key, Role::Scores}, [](Tensor &tensor) {
    llvm::fill(tensor.mutableFloats(), 0.75);
  });
}

/// Makes all elements of each row equal, so that the variance of the row is zero.
static bool makeRowsConstant(Inputs &in) {
  return in.each(Role::Normed, [](Tensor &tensor) {
    int64_t length = lineLength(tensor);
    for (auto [i, x] : llvm::enumerate(tensor.mutableFloats()))
      x = double(int64_t(i) / length % 7) * 0.375 - 1;
  });
}

/// Adds 1000 to all elements, so that their mean is large compared with their standard deviation.
static bool moveMeans(Inputs &in) {
  return in.each(Role::Normed, [](Tensor &tensor) {
    for (double &x : tensor.mutableFloats())
      x = double(float(1000 + x));
  });
}

/// Sets one element of each row to a number that is much larger than all others.
static bool addOutliers(Inputs &in) {
  return in.each(Role::Normed, [](Tensor &tensor) {
    int64_t length = lineLength(tensor);
    for (int64_t start = 0; start < tensor.size(); start += length)
      tensor.mutableFloats()[start + start / length % length] = 1e6;
  });
}

/// Makes one key, or one score of each row, so large that it receives nearly all of the probability.
static bool makeOneDominant(Inputs &in) {
  bool scores = in.each(Role::Scores, [](Tensor &tensor) {
    int64_t length = lineLength(tensor);
    for (int64_t start = 0; start < tensor.size(); start += length)
      tensor.mutableFloats()[start + length / 2] = 1e4;
  });
  if (!in.has(Role::Query) || !in.has(Role::Key))
    return scores;
  in.each(Role::Query, [](Tensor &tensor) {
    for (double &x : tensor.mutableFloats())
      x = std::fabs(x);
  });
  return in.each(Role::Key, [](Tensor &tensor) {
    int64_t length = lineLength(tensor), rows = tensor.size() / length;
    for (int64_t i = 0; i < length; ++i)
      tensor.mutableFloats()[rows / 2 * length + i] = 100;
  });
}

/// Sets some elements, and all elements of one row, to `removed`, which is -inf or the lowest finite number.
static bool removeScores(Inputs &in, double removed) {
  return in.each({Role::Bias, Role::Scores}, [&](Tensor &tensor) {
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
    if (role != Role::Mask)
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
    if (role == Role::Lengths) {
      llvm::fill(tensor.mutableInts(), 0);
      any = true;
    }
  return any;
}

/// Sets masks so that they remove the last key, and lengths so that they remove the second half of the keys. Sets
/// removed rows of keys and values, such as the unused rows of a cache, to NaN and infinities.
static bool setBadRemovedKeys(Inputs &in) {
  AttentionOp op = in.attention;
  if (!op || !in.has(Role::Value))
    return false;
  bool masks = in.has(Role::Mask) && !op.getMaskedScore(), lengths = in.has(Role::Lengths);
  if (!masks && !lengths && op.getCausal() == Causal::None && !op.getWindow())
    return false;
  fillMasks(in, [](int64_t i, int64_t length) { return i != length - 1; });
  int64_t keys = op.getSizes().keys;
  for (auto [tensor, role] : llvm::zip(in.tensors, in.roles))
    if (role == Role::Lengths)
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
    in.each(Role::Key, [&](Tensor &tensor) { spoilKeys(tensor, op.getKeyLayout()); });
  return in.each(Role::Value, [&](Tensor &tensor) { spoilKeys(tensor, op.getValueLayout()); });
}

/// Sets an element in a middle row and an element in the last row of one input to `value`. (If the model computes keys
/// from this input and has a causal mask, only the last query attends to the last row.)
static bool setBadRow(Inputs &in, double value) {
  // Change only one input. Since all other inputs are finite, the positions of NaN and infinities in the results show
  // which results depend on the changed elements.
  for (Role role : {Role::Query, Role::Scores, Role::Normed, Role::Other})
    for (auto [tensor, its] : llvm::zip(in.tensors, in.roles))
      if (its == role && tensor.isFloat() && tensor.size()) {
        int64_t rows = tensor.size() / lineLength(tensor);
        setElement(tensor, rows / 2, value);
        setElement(tensor, rows - 1, value);
        return true;
      }
  return false;
}

/// Puts NaN and infinities into rows of the float inputs with more than three rows, except weights and biases.
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
       bool normed = in.scaled(Role::Normed, 1e15);
       return in.scaled({Role::Other, Role::Query, Role::Key, Role::Value, Role::Scores}, 1e6) || normed;
     }},
    {"tiny", [](Inputs &in) {
       bool normed = in.scaled(Role::Normed, 1e-20);
       return in.scaled({Role::Other, Role::Query, Role::Key, Role::Value, Role::Scores}, 1e-10) || normed;
     }},
    {"denormal", [](Inputs &in) { return in.scaled(data, 1e-40); }},
    {"zero", [](Inputs &in) { return in.scaled(data, 0); }},
    {"large-scores", [](Inputs &in) { return in.scaled({Role::Query, Role::Scores}, 100); }},
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

static Role roleOf(OperandRole role) {
  switch (role) {
  case OperandRole::Query:
    return Role::Query;
  case OperandRole::Key:
    return Role::Key;
  case OperandRole::Value:
    return Role::Value;
  case OperandRole::ScoreBias:
    return Role::Bias;
  case OperandRole::Mask:
    return Role::Mask;
  case OperandRole::KeyLengths:
    return Role::Lengths;
  case OperandRole::Normalized:
    return Role::Normed;
  case OperandRole::Residual:
  case OperandRole::Weight:
  case OperandRole::Bias:
  case OperandRole::Scale:
    return Role::Weight;
  case OperandRole::Input:
  case OperandRole::Rotation:
  case OperandRole::Gate:
  case OperandRole::State:
  case OperandRole::Past:
  case OperandRole::ScoreRead:
  case OperandRole::Columns:
    return Role::Other;
  }
  llvm_unreachable("all roles are handled");
}

/// Returns the role of the value that `use` reads. If a reshape, cast or transpose reads the value, the uses of the
/// result of this operation determine the role.
static Role roleOf(OpOperand &use, AttentionOp &attention) {
  Operation *op = use.getOwner();
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp, linalg::TransposeOp>(op) &&
      use.getOperandNumber() == 0) {
    for (OpOperand &next : op->getResult(0).getUses())
      if (Role role = roleOf(next, attention); role != Role::Other)
        return role;
    return Role::Other;
  }
  if (auto it = dyn_cast<AttentionOp>(op))
    attention = it;
  // If a layer uses a value twice, the first use determines the role.
  if (auto layer = dyn_cast<LayerOpInterface>(op))
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == use.get())
        return roleOf(layer.getOperandRole(operand));
  return isa<linalg::SoftmaxOp>(op) ? Role::Scores : Role::Other;
}

static Role roleOf(func::FuncOp function, BlockArgument argument, AttentionOp &attention) {
  for (OpOperand &use : argument.getUses())
    if (Role role = roleOf(use, attention); role != Role::Other)
      return role;
  if (isa<FloatType>(getElementTypeOrSelf(argument.getType())))
    return Role::Other;
  // Cases change masks, but no other integers without a role, such as token ids, which must lie in a range.
  bool mask = getElementTypeOrSelf(argument.getType()).isInteger(1) ||
              StringRef(argumentName(function, argument.getArgNumber())).ends_with("mask");
  return mask ? Role::Mask : Role::Positions;
}

static Inputs inputsOf(func::FuncOp function, SmallVector<Tensor> tensors) {
  Inputs inputs{std::move(tensors), {}, {}};
  for (BlockArgument argument : function.getArguments())
    inputs.roles.push_back(roleOf(function, argument, inputs.attention));
  return inputs;
}

unsigned heddle::countAdversarialInputs(func::FuncOp function) {
  // Whether a case applies depends only on which inputs have elements, so replace each extent other than 0 by 1.
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

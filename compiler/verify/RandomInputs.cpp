//===- RandomInputs.cpp - random inputs from a seed -----------------------===//

#include "heddle/Verify.h"

#include "Notes.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {
/// The generator SplitMix64 (Steele, Lea, Flood 2014). It gives the same numbers with each standard library, whereas
/// the distributions of standard libraries differ.
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Returns a uniform random number in (0, 1].
  double uniform() { return (double(next() >> 11) + 1) / 9007199254740992.0; }
  /// Returns a random number of the standard normal distribution.
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }
  /// Returns a uniform random integer from `low` to `high`, both inclusive.
  int64_t between(int64_t low, int64_t high) {
    uint64_t span = uint64_t(high) - uint64_t(low) + 1;
    return int64_t(uint64_t(low) + (span == 0 ? next() : next() % span));
  }

private:
  uint64_t state;
};
} // namespace

/// Fills each row of a token mask with a random number of ones, at least one, and then with zeros.
static void fillTokenMask(Tensor &tensor, Generator &random) {
  int64_t length = tensor.rank() ? tensor.shape().back() : 1;
  MutableArrayRef<int64_t> elements = tensor.mutableInts();
  for (int64_t start = 0; start < tensor.size(); start += length) {
    int64_t present = random.between(1, length);
    for (int64_t i = 0; i < length; ++i)
      elements[start + i] = i < present;
  }
}

FailureOr<SmallVector<Tensor>> heddle::randomInputs(func::FuncOp function, uint64_t seed) {
  SmallVector<Tensor> inputs;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    // Each input has its own random stream, so that an additional input does not change the other inputs.
    Generator random(seed + 0x632be59bd9b4e019 * (i + 1));
    auto shaped = dyn_cast<RankedTensorType>(type);
    Type element = getElementTypeOrSelf(type);
    if (!shaped || !shaped.hasStaticShape() || Tensor::byteWidth(element) == 0)
      return function.emitOpError() << "argument " << i << " of type " << type
                                    << " cannot be filled with random numbers: expected a tensor of static shape";
    Tensor tensor(shaped.getShape(), element);
    if (tensor.isFloat()) {
      for (double &value : tensor.mutableFloats())
        value = random.normal();
      // Round the elements to their element type.
      tensor = *Tensor::fromBytes(tensor.shape(), element, tensor.toBytes());
    } else if (element.isInteger(1)) {
      // The first element of each row of a boolean mask is true, so that no row removes all keys.
      int64_t length = tensor.rank() ? tensor.shape().back() : 1;
      for (auto [offset, value] : llvm::enumerate(tensor.mutableInts()))
        value = offset % length == 0 || random.between(0, 3) != 0;
      // The next branch excludes the range 0..1, because an integer input with this range may be a token mask. A later
      // branch fills token masks.
    } else if (auto range = notes::range.get(function, i);
               range && range->low <= range->high && (range->low != 0 || range->high != 1)) {
      for (int64_t &value : tensor.mutableInts())
        value = random.between(range->low, range->high);
    } else if (StringRef(argumentName(function, i)).ends_with("mask")) {
      fillTokenMask(tensor, random);
    } else {
      for (int64_t &value : tensor.mutableInts())
        value = random.between(0, 1);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

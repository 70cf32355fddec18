//===- MixedFloats.cpp - floating-point steps of random graphs ------------===//

#include "MixedGraph.h"

/// Applies a continuous function to numbers where its slope is bounded.
void MixedGraph::elementwise() {
  GraphValue x = real();
  static const char *const plain[] = {"math.sin", "math.cos", "math.tanh", "math.erf", "arith.negf",
                                      "math.absf", "math.atan", "math.asinh"};
  static const char *const large[] = {"math.exp", "math.expm1", "math.exp2", "math.sinh", "math.cosh"};
  static const char *const ofPositive[] = {"math.sqrt", "math.rsqrt", "math.log", "math.log2",
                                           "math.log10", "math.log1p", "math.cbrt"};
  static const char *const ofSmall[] = {"math.asin", "math.acos", "math.tan", "math.atanh"};
  switch (pick(5)) {
  case 0:
  case 1:
    unary(plain[pick(8)], x);
    return;
  case 2:
    scaled(unary(large[pick(5)], withNumber("arith.mulf", within(x), 3)), 20);
    return;
  case 3:
    scaled(unary(ofPositive[pick(7)], positive(x, 0.25)), 2);
    return;
  default:
    scaled(unary(ofSmall[pick(4)], within(x)), 2);
  }
}

/// Applies an operation with two or three operands.
void MixedGraph::pair() {
  GraphValue x = real(), y = real(x.shape);
  switch (pick(8)) {
  case 0:
    scaled(binary("arith.divf", x, positive(y, 0.5)), 3);
    return;
  case 1:
    scaled(binary("math.atan2", x, positive(y, 0.5)), 2);
    return;
  case 2:
    scaled(binary("math.powf", positive(x, 0.25), within(y)), 4);
    return;
  case 3: {
    GraphValue z = real(x.shape);
    scaled(emit(x.name + ", " + y.name + ", " + z.name + " : " + x.type(), x.shape, "math.fma", x.element), 3);
    return;
  }
  default:
    static const char *const ops[] = {"arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf",
                                      "arith.maxnumf", "arith.minnumf"};
    binary(ops[pick(7)], x, y);
  }
}

/// Applies a function with jumps to an argument, or to the rearranged elements of an argument (see MixedGraph).
void MixedGraph::jump() {
  GraphValue x = exactReal();
  static const char *const ops[] = {"math.floor", "math.ceil", "math.round", "math.roundeven", "math.trunc"};
  switch (pick(3)) {
  case 0:
    unary(ops[pick(5)], x);
    return;
  case 1:
    binary("math.copysign", real(x.shape), x);
    return;
  default:
    scaled(emit(x.name + ", " + splat(0.75, x.shape, x.element) + " : " + x.type(), x.shape, "arith.remf", x.element), 1);
  }
}

void MixedGraph::compareReals() {
  GraphValue x = exactReal();
  static const char *const predicates[] = {"oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                           "ueq", "ugt", "uge", "ult", "ule", "une", "uno"};
  std::string other = chance(50) ? splat(double(pick(5)) / 2 - 1, x.shape, x.element) : argument(x.shape, x.element).name;
  emit(std::string(predicates[pick(14)]) + ", " + x.name + ", " + other + " : " + x.type(), x.shape, "arith.cmpf", "i1");
}

void MixedGraph::chooseReals() {
  GraphValue x = real(), y = chance(50) ? constant(chance(50) ? 0 : -30, x) : real(x.shape);
  GraphValue condition = boolean(x.shape);
  bool swapped = chance(50);
  scaled(select(condition.name, swapped ? y.name : x.name, swapped ? x.name : y.name, x.shape, x.element),
         std::max(x.scale, y.name == x.name ? 1 : 3.0));
}

/// Adds a maximum, a minimum or a sum over random dimensions, or subtracts the mean along one dimension.
void MixedGraph::reduceReals() {
  GraphValue x = real();
  std::vector<int64_t> dimensions;
  double terms = 1;
  for (size_t dim = 0; dim < x.shape.size(); ++dim)
    if (chance(50)) {
      dimensions.push_back(dim);
      terms *= isRange(x.shape[dim]) ? 32 : double(x.shape[dim]);
    }
  switch (dimensions.empty() ? 3 : pick(4)) {
  case 0:
    reduce(x, dimensions, "arith.maximumf", "-1.0e+04");
    return;
  case 1:
    reduce(x, dimensions, "arith.minimumf", "1.0e+04");
    return;
  case 2:
    // A sum over all dimensions is a scalar. Tanh keeps its magnitude small.
    unary("math.tanh", scaled(reduce(x, dimensions, "arith.addf", "0.5"), terms * x.scale));
    return;
  default: {
    // Subtracts a mean.
    int64_t along = pick(x.shape.size());
    GraphValue sum = rowSum(x, along);
    if (isRange(x.shape[along])) // A divisor equal to a placeholder would be mistaken for the size.
      sum = scaled(sum, 32 * x.scale);
    GraphValue mean =
        scaled(withNumber("arith.mulf", sum, 1.0 / double(isRange(x.shape[along]) ? 16 : x.shape[along])), 2);
    binary("arith.subf", x, broadcast(mean, x.shape, {along}));
  }
  }
}

/// Multiplies two tensors and sums over some of their dimensions, like einsum. Each dimension is of one of four kinds:
/// in the left operand only, in the right operand only, in both operands and the result, or in both operands but not in
/// the result.
void MixedGraph::contraction() {
  GraphValue a = realOfRank(2 + pick(2));
  std::string letters = "ijk", left = letters.substr(0, a.shape.size()), right, result, reduced;
  Shape rightShape, resultShape;
  double terms = 1;
  for (size_t dim = 0; dim < left.size(); ++dim) {
    bool both = chance(60);
    if (both) {
      right += left[dim];
      rightShape.push_back(a.shape[dim]);
    }
    if (both && chance(50)) {
      reduced += left[dim];
      terms *= isRange(a.shape[dim]) ? 32 : double(a.shape[dim]);
    } else {
      result += left[dim];
      resultShape.push_back(a.shape[dim]);
    }
  }
  if (right.empty() || chance(70)) {
    int64_t size = hasRange(a.shape) || hasRange(rightShape) ? 5 : std::min<int64_t>(extent(), 17);
    right += 'n';
    rightShape.push_back(isRange(size) ? 3 : size);
    result += 'n';
    resultShape.push_back(rightShape.back());
  }
  if (elements(resultShape) > 20000)
    return;
  if (chance(30) && right.size() > 1) { // Swaps two dimensions of the right operand.
    std::swap(right[0], right.back());
    std::swap(rightShape[0], rightShape.back());
  }
  GraphValue b = real(rightShape);
  auto join = [](const std::string &some) {
    std::string text;
    for (char letter : some)
      text += (text.empty() ? "" : ", ") + std::string(1, letter);
    return text;
  };
  std::string loops = result + reduced, maps, kinds;
  for (const std::string &indices : {left, right, result})
    maps += (maps.empty() ? "" : ", ") + ("affine_map<(" + join(loops)) + ") -> (" + join(indices) + ")>";
  for (size_t i = 0; i < loops.size(); ++i)
    kinds += std::string(i ? ", " : "") + (i < result.size() ? "\"parallel\"" : "\"reduction\"");
  std::string zero = splat(0, resultShape, type), t = type;
  scaled(emit("{indexing_maps = [" + maps + "], iterator_types = [" + kinds + "]} ins(" + a.name + ", " + b.name + " : " +
                  a.type() + ", " + b.type() + ") outs(" + zero + " : " + typeOf(resultShape, type) + ") {\n  ^bb0(%x: " +
                  t + ", %y: " + t + ", %z: " + t + "):\n    %p = arith.mulf %x, %y : " + t +
                  "\n    %s = arith.addf %z, %p : " + t + "\n    linalg.yield %s : " + t + "\n  } -> " +
                  typeOf(resultShape, type),
              resultShape, "linalg.generic", type),
         a.scale * b.scale * std::sqrt(terms));
}

/// Keeps the elements in a triangle of a matrix and replaces the others by a constant.
void MixedGraph::position() {
  GraphValue x = realOfRank(2);
  std::string t = type;
  emit("{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
       "\"parallel\"]} ins(" + x.name + " : " + x.type() + ") outs(" + empty(x.shape, type) + " : " + x.type() +
           ") {\n  ^bb0(%x: " + t + ", %z: " + t + "):\n    %i = linalg.index 0 : index\n    %j = linalg.index 1 : index\n" +
           "    %c = arith.cmpi " + (chance(50) ? "sge" : "ult") + ", %i, %j : index\n    %l = arith.constant " +
           (chance(50) ? "-3.0e+01" : "0.0") + " : " + t + "\n    %s = arith.select %c, %x, %l : " + t +
           "\n    linalg.yield %s : " + t + "\n  } -> " + x.type(),
       x.shape, "linalg.generic", type);
}

void MixedGraph::floatStep() {
  static const Step steps[] = {&MixedGraph::elementwise, &MixedGraph::elementwise, &MixedGraph::pair,
                               &MixedGraph::pair,        &MixedGraph::jump,        &MixedGraph::compareReals,
                               &MixedGraph::chooseReals, &MixedGraph::reduceReals, &MixedGraph::contraction,
                               &MixedGraph::contraction, &MixedGraph::position};
  (this->*steps[pick(11)])();
}

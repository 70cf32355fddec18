//===- LinalgContraction.cpp - evaluation of contractions -----------------===//

#include "interpreter/Contraction.h"
#include "interpreter/Linalg.h"

using namespace mlir;
using namespace heddle;

/// Whether the body is yield(out + a * b), where a and b are elements of the first two inputs and out is an element of
/// the output. The operands of the sum and of the product may have any order, and other inputs are not used.
static bool isSumOfProducts(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (op.getNumDpsInputs() < 2 || op.getNumDpsInits() != 1 || body->getOperations().size() != 3)
    return false;
  auto product = dyn_cast<arith::MulFOp>(body->front());
  auto sum = dyn_cast<arith::AddFOp>(*std::next(body->begin()));
  if (!product || !sum || body->getTerminator()->getOperand(0) != sum.getResult())
    return false;
  Value a = body->getArgument(0), b = body->getArgument(1), out = body->getArguments().back();
  auto isPair = [](Operation *of, Value x, Value y) {
    return (of->getOperand(0) == x && of->getOperand(1) == y) || (of->getOperand(0) == y && of->getOperand(1) == x);
  };
  return isPair(product, a, b) && isPair(sum, out, product.getResult());
}

/// Copies elements of an operand to the dense array `dense`. The array has one element for each iteration of the loops
/// with the numbers `outer` and `inner`, in this order; `loops` are the trip counts of all loops. `base` is the offset
/// of the first element in `elements`. With `back`, copies from the array to the elements.
template <typename Real, bool back, typename Elements>
static void gather(const Access &access, int64_t base, ArrayRef<int64_t> loops, ArrayRef<unsigned> outer,
                   ArrayRef<unsigned> inner, Elements elements, Real *dense) {
  SmallVector<int64_t> extents, strides;
  for (ArrayRef<unsigned> group : {outer, inner})
    for (unsigned d : group) {
      extents.push_back(loops[d]);
      strides.push_back(access.strides[d]);
    }
  // The innermost loop is a C++ loop: calling forEachIndex for each element would be too slow.
  int64_t extent = 1, stride = 0;
  if (!extents.empty()) {
    extent = extents.pop_back_val();
    stride = strides.pop_back_val();
  }
  forEachIndex(extents, [&](ArrayRef<int64_t> index) {
    int64_t offset = base;
    for (auto [i, s] : llvm::zip_equal(index, strides))
      offset += i * s;
    for (int64_t i = 0; i < extent; ++i, ++dense)
      if constexpr (back)
        elements[offset + i * stride] = *dense;
      else
        *dense = Real(elements[offset + i * stride]);
  });
}

/// Computes the contraction in the type Real, and writes it to `result`, which contains the initial values. Each loop
/// is in one of four groups: `batch` (in both inputs and the result), `m` (in the first input and the result), `n` (in
/// the second input and the result) and `k` (reduced). For each iteration of the batch loops, the operands are copied
/// to matrices m x k, k x n and m x n.
template <typename Real>
static void evaluateAs(ArrayRef<Tensor> operands, ArrayRef<int64_t> loops, ArrayRef<Access> accesses,
                       ArrayRef<unsigned> batch, ArrayRef<unsigned> m, ArrayRef<unsigned> n, ArrayRef<unsigned> k,
                       Tensor &result) {
  auto count = [&](ArrayRef<unsigned> group) {
    int64_t product = 1;
    for (unsigned d : group)
      product *= loops[d];
    return product;
  };
  int64_t rows = count(m), columns = count(n), depth = count(k);
  std::vector<Real> a(rows * depth), b(depth * columns), c(rows * columns);
  SmallVector<int64_t> batchLoops;
  for (unsigned d : batch)
    batchLoops.push_back(loops[d]);
  MutableArrayRef<double> target = result.mutableFloats();
  forEachIndex(batchLoops, [&](ArrayRef<int64_t> index) {
    auto base = [&](const Access &access) {
      int64_t offset = access.offset;
      for (auto [i, d] : llvm::zip_equal(index, batch))
        offset += i * access.strides[d];
      return offset;
    };
    gather<Real, false>(accesses[0], base(accesses[0]), loops, m, k, operands[0].floats(), a.data());
    gather<Real, false>(accesses[1], base(accesses[1]), loops, k, n, operands[1].floats(), b.data());
    gather<Real, false>(accesses.back(), base(accesses.back()), loops, m, n, target, c.data());
    contract(rows, columns, depth, a.data(), b.data(), c.data());
    gather<Real, true>(accesses.back(), base(accesses.back()), loops, m, n, target, c.data());
  });
}

bool heddle::evaluateContraction(linalg::LinalgOp op, ArrayRef<Tensor> operands, ArrayRef<int64_t> loops,
                                 ArrayRef<Access> accesses, Evaluator &evaluator, SmallVectorImpl<Tensor> &results) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!isSumOfProducts(op) || !llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }))
    return false;
  SmallVector<unsigned> batch, m, n, k;
  for (unsigned d = 0; d < loops.size(); ++d) {
    bool inA = maps[0].isFunctionOfDim(d), inB = maps[1].isFunctionOfDim(d), inC = maps.back().isFunctionOfDim(d);
    if (inA && inB)
      (inC ? batch : k).push_back(d);
    else if (inC && inA != inB)
      (inA ? m : n).push_back(d);
    else
      return false;
  }
  Tensor result = operands.back();
  if (roundsToF32(result.elementType(), evaluator))
    evaluateAs<float>(operands, loops, accesses, batch, m, n, k, result);
  else
    evaluateAs<double>(operands, loops, accesses, batch, m, n, k, result);
  results.push_back(std::move(result));
  return true;
}

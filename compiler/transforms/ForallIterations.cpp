//===- ForallIterations.cpp - iterations of parallel loops ----------------===//

#include "heddle/ForallIterations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

std::optional<SmallVector<int64_t>> heddle::getFixedExtents(scf::ForallOp forall) {
  SmallVector<int64_t> extents;
  for (auto [lower, upper, step] :
       llvm::zip(forall.getStaticLowerBound(), forall.getStaticUpperBound(), forall.getStaticStep())) {
    if (ShapedType::isDynamic(lower) || ShapedType::isDynamic(upper) || ShapedType::isDynamic(step))
      return std::nullopt;
    extents.push_back(upper > lower ? llvm::divideCeil(upper - lower, step) : 0);
  }
  return extents;
}

std::optional<SmallVector<Extent>> heddle::getExtents(scf::ForallOp forall) {
  SmallVector<Extent> extents;
  for (auto [lower, upper, step] :
       llvm::zip(forall.getStaticLowerBound(), forall.getMixedUpperBound(), forall.getStaticStep())) {
    std::optional<int64_t> end = getConstantIntValue(upper);
    if (ShapedType::isDynamic(lower) || ShapedType::isDynamic(step) || (!end && (lower != 0 || step != 1)))
      return std::nullopt;
    // The number of iterations of a loop from 0 with step 1 is the upper bound.
    extents.push_back(!end ? Extent(upper) : *end > lower ? llvm::divideCeilSigned(*end - lower, step) : 0);
  }
  return extents;
}

FailureOr<ForallCount> heddle::countIterations(scf::ForallOp forall) {
  if (forall.getNumResults() != 0)
    return forall.emitError("expected a loop on buffers, found a loop on tensors: run stage bufferize first");
  std::optional<SmallVector<Extent>> extents = getExtents(forall);
  if (!extents)
    return forall.emitError("expected constant lower bounds and steps, and loops from 0 with step 1 where the upper "
                            "bound is not constant");
  ForallCount count{*extents};
  for (const Extent &extent : count.extents) {
    count.fixed *= extent.isFixed() ? extent.number() : 1;
    count.isFixed &= extent.isFixed();
  }
  return count;
}

SmallVector<Value> heddle::emitInductionVariables(OpBuilder &builder, scf::ForallOp forall, Value iteration,
                                                  function_ref<Value(unsigned)> extent) {
  Location loc = forall.getLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  SmallVector<Value> variables(forall.getRank());
  Value rest = iteration; // the number of the iteration in the dimensions up to `i`
  for (int64_t i = forall.getRank() - 1; i >= 0; --i) {
    Value position = rest;
    if (i > 0) {
      Value iterations = extent(i);
      position = arith::RemUIOp::create(builder, loc, rest, iterations);
      rest = arith::DivUIOp::create(builder, loc, rest, iterations);
    }
    int64_t lower = forall.getStaticLowerBound()[i], step = forall.getStaticStep()[i];
    if (step != 1)
      position = arith::MulIOp::create(builder, loc, position, constant(step));
    if (lower != 0)
      position = arith::AddIOp::create(builder, loc, position, constant(lower));
    variables[i] = position;
  }
  return variables;
}

SmallVector<Value> heddle::emitInductionVariables(OpBuilder &builder, scf::ForallOp forall, Value iteration) {
  SmallVector<int64_t> extents = *getFixedExtents(forall);
  return emitInductionVariables(builder, forall, iteration, [&](unsigned i) -> Value {
    return arith::ConstantIndexOp::create(builder, forall.getLoc(), extents[i]);
  });
}

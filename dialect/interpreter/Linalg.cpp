//===- Linalg.cpp - evaluation of structured ops --------------------------===//

#include "interpreter/Affine.h"
#include "interpreter/Buffer.h"
#include "interpreter/ElementProgram.h"
#include "interpreter/Linalg.h"

using namespace mlir;
using namespace heddle;

/// Whether all results of the map are linear: they contain no quotients or remainders.
static bool isLinear(AffineMap map) {
  bool linear = true;
  for (AffineExpr expr : map.getResults())
    expr.walk([&](AffineExpr part) {
      linear &= part.getKind() == AffineExprKind::Add || part.getKind() == AffineExprKind::Mul ||
                part.getKind() == AffineExprKind::DimId || part.getKind() == AffineExprKind::Constant;
    });
  return linear;
}

/// Computes the access function of an operand with a linear indexing map from the values of the map at 0 and at the
/// unit vectors. `loops` are the trip counts of the loops. Emits an error if an index is outside of the operand's
/// shape.
static LogicalResult analyzeAccess(linalg::LinalgOp op, AffineMap map, const Tensor &operand, ArrayRef<int64_t> loops,
                                   Access &access) {
  access.strides.assign(loops.size(), 0);
  SmallVector<int64_t> strides = operand.strides(), point(loops.size(), 0);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    int64_t origin = *evaluateExpr(expr, point), last = origin, first = origin;
    for (unsigned d = 0; d < loops.size(); ++d) {
      point[d] = 1;
      int64_t step = *evaluateExpr(expr, point) - origin;
      point[d] = 0;
      access.strides[d] += step * strides[i];
      (step < 0 ? first : last) += step * std::max<int64_t>(loops[d] - 1, 0);
    }
    access.offset += origin * strides[i];
    if (!llvm::is_contained(loops, 0) && (first < 0 || last >= operand.dim(i)))
      return op.emitOpError() << "accesses index " << (first < 0 ? first : last) << " of a dimension of size "
                              << operand.dim(i);
  }
  return success();
}

/// Replaces an operand with a nonlinear indexing map by a copy of the elements that the map reads, with one element for
/// each iteration of the loops on which the map depends. `access` becomes the access function of the copy.
static LogicalResult spread(linalg::LinalgOp op, AffineMap map, Tensor &operand, ArrayRef<int64_t> loops,
                            Access &access) {
  SmallVector<int64_t> shape(loops), offsets, strides = operand.strides();
  for (unsigned d = 0; d < loops.size(); ++d)
    if (!map.isFunctionOfDim(d))
      shape[d] = 1;
  LogicalResult status = success();
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> position;
    for (AffineExpr expr : map.getResults())
      position.push_back(evaluateExpr(expr, index).value_or(-1));
    FailureOr<int64_t> offset = failed(status) ? 0 : elementOffset(op, operand.shape(), strides, position);
    status = success(succeeded(status) && succeeded(offset));
    offsets.push_back(offset.value_or(0));
  });
  if (failed(status))
    return failure();
  operand = operand.picked(shape, offsets);
  access.strides = operand.strides();
  for (unsigned d = 0; d < loops.size(); ++d)
    if (!map.isFunctionOfDim(d))
      access.strides[d] = 0;
  return success();
}

LogicalResult heddle::analyzeLoops(linalg::LinalgOp op, MutableArrayRef<Tensor> operands,
                                   SmallVectorImpl<int64_t> &loops, SmallVectorImpl<Access> &accesses) {
  loops.assign(op.getNumLoops(), -1);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [map, operand] : llvm::zip_equal(maps, operands))
    for (auto [expr, extent] : llvm::zip_equal(map.getResults(), operand.shape()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        int64_t &size = loops[dim.getPosition()];
        if (size >= 0 && size != extent)
          return op.emitOpError() << "has operands that give loop " << dim.getPosition() << " the sizes " << size
                                  << " and " << extent;
        size = extent;
      }
  if (llvm::is_contained(loops, -1))
    return op.emitOpError("has a loop whose trip count no operand determines");

  for (auto [i, map] : llvm::enumerate(maps)) {
    Access &access = accesses.emplace_back();
    bool linear = isLinear(map);
    if (!linear && int64_t(i) >= op.getNumDpsInputs())
      return op.emitError() << "the interpreter does not support indexing map " << AffineMapAttr::get(map)
                            << " of an output";
    if (failed(linear ? analyzeAccess(op, map, operands[i], loops, access)
                      : spread(op, map, operands[i], loops, access)))
      return failure();
  }
  return success();
}

/// Returns the loop whose iterations are computed together: the longest parallel loop (the last of several); -1 if all
/// loops are reductions. The other loops run in order, so sums are added from left to right.
static int chooseStrip(linalg::LinalgOp op, ArrayRef<int64_t> loops) {
  int strip = -1;
  for (auto [d, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel && (strip < 0 || loops[d] >= loops[strip]))
      strip = d;
  return strip;
}

/// Returns the elements of a tensor, floats or integers, as 64-bit words that can be copied without knowing their type.
static int64_t *elements(Tensor &tensor) {
  static_assert(sizeof(double) == sizeof(int64_t));
  return tensor.isFloat() ? reinterpret_cast<int64_t *>(tensor.mutableFloats().data()) : tensor.mutableInts().data();
}

/// Runs the body of the op for each iteration and writes the results to the output operands. `accesses` has the access
/// function of each operand.
static LogicalResult evaluateBody(linalg::LinalgOp op, MutableArrayRef<Tensor> operands, ArrayRef<int64_t> loops,
                                  ArrayRef<Access> accesses, Evaluator &evaluator) {
  FailureOr<ElementProgram> program = ElementProgram::decode(*op.getBlock(), evaluator);
  if (failed(program))
    return failure();
  int strip = chooseStrip(op, loops);
  int64_t length = strip < 0 ? 1 : loops[strip];
  SmallVector<int64_t> outer(loops);
  if (strip >= 0)
    outer[strip] = 1;

  unsigned numInputs = op.getNumDpsInputs();
  SmallVector<const int64_t *> sources;
  SmallVector<int64_t *> targets;
  SmallVector<bool> isRead;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    isRead.push_back(op.payloadUsesValueFromOperand(&op->getOpOperand(i)));
    if (i >= numInputs)
      targets.push_back(elements(operand));
    sources.push_back(i >= numInputs ? targets.back()
                      : operand.isFloat()
                          ? reinterpret_cast<const int64_t *>(operand.floats().data())
                          : operand.ints().data());
  }

  LogicalResult status = success();
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    if (failed(status) || length == 0)
      return;
    SmallVector<int64_t> offsets;
    for (const Access &access : accesses) {
      int64_t offset = access.offset;
      for (auto [i, stride] : llvm::zip_equal(index, access.strides))
        offset += i * stride;
      offsets.push_back(offset);
    }
    for (int64_t start = 0; start < length; start += ElementProgram::width) {
      int64_t n = std::min(ElementProgram::width, length - start);
      for (unsigned i = 0; i < operands.size(); ++i) {
        int64_t stride = strip < 0 ? 0 : accesses[i].strides[strip];
        const int64_t *source = sources[i] + offsets[i] + start * stride;
        int64_t *column = program->argument(i).ints;
        if (isRead[i])
          for (int64_t lane = 0; lane < n; ++lane)
            column[lane] = source[lane * stride];
      }
      for (auto [dim, column] : program->indices())
        for (int64_t lane = 0; lane < n; ++lane)
          column.ints[lane] = int(dim) == strip ? start + lane : index[dim];
      if (failed(status = program->run(n)))
        return;
      for (auto [i, target] : llvm::enumerate(targets)) {
        int64_t stride = strip < 0 ? 0 : accesses[numInputs + i].strides[strip];
        const int64_t *column = program->yielded(i).ints;
        for (int64_t lane = 0; lane < n; ++lane)
          target[offsets[numInputs + i] + (start + lane) * stride] = column[lane];
      }
    }
  });
  return status;
}

/// Evaluates an op on tensors.
static LogicalResult evaluateElements(linalg::LinalgOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                      SmallVectorImpl<Tensor> &results) {
  if (op->getNumOperands() != op.getIndexingMapsArray().size())
    return op.emitError("the interpreter does not support linalg ops with operands that have no indexing map");

  // The scalar inputs of linalg.fill and similar ops are tensors of rank 0 here.
  SmallVector<int64_t> loops;
  SmallVector<Access> accesses;
  if (failed(analyzeLoops(op, operands, loops, accesses)))
    return failure();
  if (evaluateContraction(op, operands, loops, accesses, evaluator, results))
    return success();
  if (failed(evaluateBody(op, operands, loops, accesses, evaluator)))
    return failure();
  for (Tensor &output : operands.drop_front(op.getNumDpsInputs()))
    results.push_back(std::move(output));
  return success();
}

/// Evaluates an op on buffers: loads the operands, evaluates the op on tensors, and stores the results.
static LogicalResult evaluateOnBuffers(linalg::LinalgOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator) {
  if (!op.hasPureBufferSemantics())
    return op.emitError("the interpreter does not support linalg ops on both tensors and buffers");
  SmallVector<Tensor> elements(operands), results;
  for (Tensor &operand : elements)
    if (operand.buffer()) {
      FailureOr<Tensor> loaded = operand.buffer()->load(op);
      if (failed(loaded))
        return failure();
      operand = std::move(*loaded);
    }
  if (failed(evaluateElements(op, elements, evaluator, results)))
    return failure();
  for (auto [output, result] : llvm::zip_equal(operands.take_back(results.size()), results))
    if (failed(output.buffer()->store(op, result)))
      return failure();
  return success();
}

template <typename Op>
static LogicalResult evaluateStructured(Op structured, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                        SmallVectorImpl<Tensor> &results) {
  auto op = cast<linalg::LinalgOp>(structured.getOperation());
  if (op.hasPureTensorSemantics())
    return evaluateElements(op, operands, evaluator, results);
  return evaluateOnBuffers(op, operands, evaluator);
}

namespace {
/// Attaches the evaluation to each op in the list `Ops`.
template <typename... Ops>
struct AttachAll {
  static void to(MLIRContext *context) { (attach<Ops, evaluateStructured<Ops>>(context), ...); }
};
} // namespace

void heddle::registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    AttachAll<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >::to(context);
  });
  registerLinalgOtherModels(registry);
}

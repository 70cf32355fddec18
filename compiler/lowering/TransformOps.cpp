//===- TransformOps.cpp - registers the transform ops of strategies -------===//

#include "TransformOps.h"
#include "Heddle.h"
#include "heddle/Kinds.h"
#include "heddle/Lowering.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/TransformOps/DialectExtension.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/TransformOps/SCFTransformOps.h"
#include "mlir/Dialect/Tensor/TransformOps/TensorTransformOps.h"
#include "mlir/Dialect/Transform/LoopExtension/LoopExtension.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtension.h"
#include "mlir/Dialect/Vector/TransformOps/VectorTransformOps.h"

using namespace mlir;
using namespace heddle;

#define GET_OP_CLASSES
#include "HeddleTransformOps.cpp.inc"

void transforms::addEffects(Operation *op, bool consumed,
                            SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  MutableArrayRef<OpOperand> operands = op->getOpOperands();
  if (consumed)
    transform::consumesHandle(operands.take_front(), effects);
  else
    transform::onlyReadsHandle(operands.take_front(), effects);
  transform::onlyReadsHandle(operands.drop_front(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure transforms::matchUnless(Operation *op, const std::string &reason) {
  return reason.empty() ? DiagnosedSilenceableFailure::success() : emitSilenceableFailure(op, reason);
}

FailureOr<int64_t> transforms::getInteger(transform::TransformState &state, Value param) {
  ArrayRef<Attribute> values = state.getParams(param);
  if (values.size() != 1 || !isa<IntegerAttr>(values.front()))
    return failure();
  return cast<IntegerAttr>(values.front()).getInt();
}

FailureOr<SmallVector<int64_t>> transforms::getPositive(transform::TransformState &state, ValueRange params) {
  SmallVector<int64_t> values;
  for (Value param : params) {
    FailureOr<int64_t> value = getInteger(state, param);
    if (failed(value) || *value <= 0)
      return failure();
    values.push_back(*value);
  }
  return values;
}

namespace {
struct Extension : transform::TransformDialectExtension<Extension> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Extension)
  void init() {
    declareDependentDialect<HeddleDialect>();
    declareGeneratedDialect<affine::AffineDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<bufferization::BufferizationDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<LLVM::LLVMDialect>();
    declareGeneratedDialect<math::MathDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<tensor::TensorDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "HeddleTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void heddle::registerTransformOps(DialectRegistry &registry) {
  registry.insert<transform::TransformDialect, HeddleDialect>();
  registerProductCode(registry); // transform.heddle.vectorize calls this code
  linalg::registerTransformDialectExtension(registry);
  scf::registerTransformDialectExtension(registry);
  tensor::registerTransformDialectExtension(registry);
  vector::registerTransformDialectExtension(registry);
  transform::registerLoopExtension(registry);
  transform::registerTuneExtension(registry);
  registry.addExtensions<Extension>();
}

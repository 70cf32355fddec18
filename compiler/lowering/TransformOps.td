//===- TransformOps.td - transform ops that strategies are written with ---===//
//
// What a schedule cannot say with upstream's transform ops. Each op's body is in
// the file of its name: transform.heddle.lower_linear in LowerLinear.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TRANSFORM_OPS_TD
#define HEDDLE_TRANSFORM_OPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Base of ops that change one payload op at a time: C++ supplies applyToOne.
class Heddle_TransformOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "heddle." # mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<TransformOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let cppNamespace = "::heddle::transforms";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(::mlir::transform::TransformRewriter &rewriter,
                                                   ::mlir::Operation *target,
                                                   ::mlir::transform::TransformState &state);
  }];
  string applyBody = [{
    ::mlir::DiagnosedSilenceableFailure $cppClass::apply(::mlir::transform::TransformRewriter &rewriter,
        ::mlir::transform::TransformResults &results, ::mlir::transform::TransformState &state) {
      for (::mlir::Operation *target : ::llvm::to_vector(state.getPayloadOps(getTarget()))) {
        rewriter.setInsertionPoint(target);
        ::mlir::DiagnosedSilenceableFailure result = applyToOne(rewriter, target, state);
        if (!result.succeeded())
          return result;
      }
      return ::mlir::DiagnosedSilenceableFailure::success();
    }
  }];
  let extraClassDefinition = applyBody # [{
    void $cppClass::getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::heddle::transforms::addEffects(getOperation(), /*consumed=*/false, effects);
    }
  }];
}

/// The op that the handle names is gone afterwards.
class Heddle_LowerOp<string mnemonic, list<Trait> traits = []>
    : Heddle_TransformOp<mnemonic, traits> {
  let extraClassDefinition = applyBody # [{
    void $cppClass::getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::heddle::transforms::addEffects(getOperation(), /*consumed=*/true, effects);
    }
  }];
}

def Heddle_PackWeightOp : Heddle_TransformOp<"pack_weight"> {
  let summary = "brings the weight operand of heddle.linear into panels";
  let description = [{
    The weight [K, N] becomes [ceil(N / panel), K, panel]. Where it is an argument
    of a private function and every caller passes a heddle.weight, the recipe of each
    of these is extended and the argument's type changes: packing costs nothing at
    run time. Otherwise (a computed matrix, one caller without a recipe) nothing
    changes and lower_linear packs into scratch.

    #### Return modes
    A definite failure for a target that is no heddle.linear.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, TransformParamTypeInterface:$panel);
  let assemblyFormat = "$target `panel` `(` $panel `)` attr-dict `:` type($target) `,` type($panel)";
}

#endif // HEDDLE_TRANSFORM_OPS_TD

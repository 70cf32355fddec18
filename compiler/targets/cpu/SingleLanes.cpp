//===- SingleLanes.cpp - masked stores of one lane ------------------------===//
//
// storeSingleLanes (Codegen.h) replaces masked stores of one lane by ordinary
// stores, because LLVM 22 generates wrong code for some of them.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// Returns the lane that a constant mask selects, if it selects exactly one.
static std::optional<unsigned> singleLane(Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  std::optional<unsigned> found;
  for (unsigned lane = 0; constant && type && lane < type->getNumElements(); ++lane) {
    Constant *element = constant->getAggregateElement(lane);
    bool isSet = element && element->isOneValue();
    if (!element || (!isSet && !element->isNullValue()) || (isSet && found))
      return std::nullopt;
    if (isSet)
      found = lane;
  }
  return found;
}

void heddle::storeSingleLanes(Module &module) {
  SmallVector<std::pair<IntrinsicInst *, unsigned>> stores;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *store = dyn_cast<IntrinsicInst>(&instruction);
      if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
        continue;
      Type *element = store->getArgOperand(0)->getType()->getScalarType();
      if (element->isFloatTy() || element->isDoubleTy())
        continue;
      if (std::optional<unsigned> lane = singleLane(store->getArgOperand(2)))
        stores.push_back({store, *lane});
    }
  for (auto [store, lane] : stores) {
    IRBuilder<> builder(store);
    Value *element = builder.CreateExtractElement(store->getArgOperand(0), lane);
    Value *place = builder.CreateConstGEP1_64(element->getType(), store->getArgOperand(1), lane);
    uint64_t bytes = element->getType()->getPrimitiveSizeInBits() / 8;
    Align align = commonAlignment(store->getParamAlign(1).valueOrOne(), lane * bytes);
    builder.CreateAlignedStore(element, place, align)->setAAMetadata(store->getAAMetadata());
    store->eraseFromParent();
  }
}

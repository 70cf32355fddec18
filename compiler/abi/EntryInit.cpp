//===- EntryInit.cpp - emits NAME_init ------------------------------------===//

#include "EntryDevice.h"
#include "EntryPieces.h"
#include "EntryPoints.h"
#include "WeightsHash.h"

#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace heddle;

static constexpr unsigned lanes = WeightsHash::lanes;

/// Emits code that computes the same hash as WeightsHash.
static Value *emitHash(EntryBuilder &b, Value *data, uint64_t size) {
  BasicBlock *before = b.GetInsertBlock(), *head = b.block("hash"), *done = b.block("hashed");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  PHINode *i = b.CreatePHI(b.i64, 2);
  i->addIncoming(b.word(0), before);
  SmallVector<PHINode *> sums;
  SmallVector<Value *> mixed;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    sums.push_back(b.CreatePHI(b.i64, 2));
    sums.back()->addIncoming(b.word(lane + 1), before);
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Value *word = b.load(b.i64, b.address(data, i), 8 * lane);
    Value *product = b.CreateMul(b.CreateXor(sums[lane], word), b.word(WeightsHash::multiplier));
    mixed.push_back(b.CreateXor(product, b.CreateLShr(product, 29)));
    sums[lane]->addIncoming(mixed.back(), head);
  }
  Value *following = b.CreateAdd(i, b.word(8 * lanes));
  i->addIncoming(following, head);
  b.CreateCondBr(b.CreateICmpULT(following, b.word(size)), head, done);
  b.SetInsertPoint(done);
  Value *hash = b.word(0);
  for (Value *sum : mixed)
    hash = b.CreateMul(b.CreateXor(hash, sum), b.word(WeightsHash::multiplier));
  return hash;
}

uint64_t heddle::getModelFingerprint(const ModelInterface &interface) {
  std::string text = interface.name;
  for (const InterfaceVariant &variant : interface.variants)
    text += "\n" + variant.target;
  return xxh3_64bits(text) ^ uint64_t(interface.weightsHash);
}

std::string heddle::getWeightsSymbol(const ModelInterface &interface) { return interface.name + "_weights"; }

/// Emits code that makes the generated function return an error if the pointer to the model is invalid. Otherwise, the
/// code sets all words of the model to 0.
static void emitClear(EntryBuilder &b, const ModelInterface &interface, Value *model) {
  b.returnIf(b.isNull(model), HEDDLE_INVALID_ARGUMENT);
  b.returnIf(b.isMisaligned(model, 8), HEDDLE_INVALID_ARGUMENT);
  for (unsigned i = 0; i < modelWords(interface); ++i)
    b.store(b.word(0), model, 8 * i);
}

/// Emits checks of the caller's weights, and stores their address in the model. If the library contains the weights,
/// the caller may pass null, and the address of the library's weights is stored.
static void emitWeights(EntryBuilder &b, const ModelInterface &interface, Value *model, Value *weights, Value *size) {
  if (!interface.weightsSize)
    return;
  Module &module = *b.function->getParent();
  uint64_t total = weightsHeaderSize + interface.weightsSize;
  Value *given = b.CreateNot(b.isNull(weights));
  Value *inside = weights;
  if (interface.embedWeights)
    inside = module.getOrInsertGlobal(getWeightsSymbol(interface), ArrayType::get(b.i8, total));
  else
    b.returnIf(b.isNull(weights), HEDDLE_INVALID_WEIGHTS);
  b.branch(given, [&] {
    b.returnIf(b.isMisaligned(weights, 8), HEDDLE_INVALID_ARGUMENT);
    b.returnIf(b.CreateICmpNE(size, b.word(total)), HEDDLE_INVALID_WEIGHTS);
    b.returnIf(b.CreateICmpNE(b.load(b.i64, weights, 0), b.word(weightsMagic)), HEDDLE_INVALID_WEIGHTS);
    b.returnIf(b.CreateICmpNE(b.load(b.i64, weights, 8), b.word(interface.weightsSize)), HEDDLE_INVALID_WEIGHTS);
    Value *hash = emitHash(b, b.address(weights, b.word(weightsHeaderSize)), interface.weightsSize);
    b.returnIf(b.CreateICmpNE(hash, b.word(interface.weightsHash)), HEDDLE_INVALID_WEIGHTS);
  });
  Value *block = b.CreateSelect(given, weights, inside);
  b.store(b.address(block, b.word(weightsHeaderSize)), model, offsetof(ModelWords, weights));
}

Function *heddle::emitInit(Module &module, const ModelInterface &interface, Function *choose, StringRef name,
                           bool isExported) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *word = Type::getInt64Ty(context);
  EntryBuilder b(module, name, Type::getInt32Ty(context), {pointer, pointer, pointer, word}, isExported);
  Value *model = b.arg(0);
  emitClear(b, interface, model);
  Value *variant = callChoose(b, choose, b.arg(1));
  emitWeights(b, interface, model, b.arg(2), b.arg(3));
  b.store(b.word(getModelFingerprint(interface)), model, offsetof(ModelWords, fingerprint));
  b.store(variant, model, offsetof(ModelWords, variant));
  b.status(HEDDLE_OK);
  return b.function;
}

Function *heddle::emitInitOnDevice(Module &module, const ModelInterface &interface, Function *deinit) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  EntryBuilder b(module, interface.name + "_init", Type::getInt32Ty(context),
                 {pointer, pointer, Type::getInt64Ty(context), pointer}, /*isExported=*/true);
  Value *model = b.arg(0);
  emitClear(b, interface, model);
  emitWeights(b, interface, model, b.arg(1), b.arg(2));
  emitDeviceInit(b, interface, deinit, model, b.arg(3));
  b.store(b.word(getModelFingerprint(interface)), model, offsetof(ModelWords, fingerprint));
  b.status(HEDDLE_OK);
  return b.function;
}

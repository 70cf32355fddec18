//===- EntryClasses.cpp - selects the code for the sizes of a call --------===//

#include "EntryPieces.h"

using namespace llvm;
using namespace heddle;

/// Emits the index in interface.classes of the class that contains the call's sizes. (A class is a part of the ranges
/// of sizes for which the library has code of its own.) Classes are ordered like numbers whose digits are the class
/// indices of the single sizes. The class index of a size is 0 if its value lies in the size's first class, 1 if the
/// value lies in the second class, and so on.
static Value *emitClassNumber(EntryBuilder &b, const ModelInterface &interface, Value *words) {
  Value *number = b.word(0);
  for (auto [i, size] : enumerate(interface.sizes)) {
    if (size.classes.empty())
      continue;
    Value *value = b.load(b.i64, words, 8 * i);
    number = b.CreateMul(number, b.word(size.classes.size()));
    for (int64_t minimum : ArrayRef(size.classes).drop_front())
      number = b.CreateAdd(number, b.CreateZExt(b.CreateICmpUGE(value, b.word(uint64_t(minimum))), b.i64));
  }
  return number;
}

void heddle::returnOfClass(EntryBuilder &b, const ModelInterface &interface, Value *words, ArrayRef<Function *> ofClasses) {
  SmallVector<Value *> arguments;
  for (Argument &argument : b.function->args())
    arguments.push_back(&argument);
  BasicBlock *first = b.block("class");
  SwitchInst *choice = b.CreateSwitch(emitClassNumber(b, interface, words), first, ofClasses.size());
  for (auto [i, function] : enumerate(ofClasses)) {
    BasicBlock *body = i == 0 ? first : b.block("class");
    if (i > 0)
      choice->addCase(b.getInt64(i), body);
    b.SetInsertPoint(body);
    b.CreateRet(b.CreateCall(function, arguments));
  }
}

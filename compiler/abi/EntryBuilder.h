//===- EntryBuilder.h - builds entry point functions ------------*- C++ -*-===//

#ifndef HEDDLE_ABI_ENTRYBUILDER_H
#define HEDDLE_ABI_ENTRYBUILDER_H

#include "heddle/abi.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// An IRBuilder that creates a function and inserts code at the end of this function.
class EntryBuilder : public llvm::IRBuilder<> {
public:
  EntryBuilder(llvm::Module &module, llvm::StringRef name, llvm::Type *result,
               llvm::ArrayRef<llvm::Type *> arguments, bool isExported);

  llvm::Function *function;
  llvm::PointerType *ptr;
  llvm::Type *i8, *i32, *i64;

  llvm::Argument *arg(unsigned i) { return function->getArg(i); }
  /// Returns a constant i64.
  llvm::Value *word(uint64_t value) { return getInt64(value); }
  llvm::Value *address(llvm::Value *base, llvm::Value *bytes) { return CreatePtrAdd(base, bytes); }
  /// `load` and `store` access a value `byte` bytes after `base`. The address must be a multiple of 8.
  llvm::Value *load(llvm::Type *type, llvm::Value *base, uint64_t byte) {
    return CreateAlignedLoad(type, address(base, word(byte)), llvm::Align(8));
  }
  void store(llvm::Value *value, llvm::Value *base, uint64_t byte) {
    CreateAlignedStore(value, address(base, word(byte)), llvm::Align(8));
  }
  llvm::Value *isNull(llvm::Value *pointer) { return CreateIsNull(pointer); }
  llvm::Value *isMisaligned(llvm::Value *pointer, uint64_t alignment) {
    return CreateICmpNE(CreateAnd(CreatePtrToInt(pointer, i64), word(alignment - 1)), word(0));
  }

  /// Emits code that makes the generated function return `status` if `condition` is true.
  void returnIf(llvm::Value *condition, heddle_status status);
  /// Emits `body` so that it runs only if `condition` is true.
  void branch(llvm::Value *condition, llvm::function_ref<void()> body);
  /// Emits a loop that runs body(i) for i = 0, step, 2 step, ... below `count`. `count` must not be 0 at run time.
  void loop(llvm::Value *count, uint64_t step, llvm::function_ref<void(llvm::Value *)> body);
  /// Emits a return of the status.
  void status(heddle_status value) { CreateRet(getInt32(value)); }

  /// Adds an empty block to the function.
  llvm::BasicBlock *block(const char *name) { return llvm::BasicBlock::Create(getContext(), name, function); }
};

} // namespace heddle

#endif // HEDDLE_ABI_ENTRYBUILDER_H

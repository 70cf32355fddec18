//===- notes_test.cpp - annotations ---------------------------------------===//
//
// Annotations are attributes heddle.* of modules, functions, their arguments and results, and operations. C++ code
// reads and writes them through the notes in Notes.h.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "Sizes.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace heddle;

TEST(Notes, ValuesAreReadBack) {
  Runner runner;
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>("func.func @main(%x: tensor<2x3xi64>) { return }", &runner.context);
  auto main = module->lookupSymbol<func::FuncOp>("main");
  EXPECT_FALSE(notes::range.get(main, 0));
  notes::range.set(main, 0, {-4, 3});
  notes::dims.set(main, 0, {"batch", ""});
  notes::defaultValue.set(main, 0, 1);
  notes::kernel.set(main);
  notes::source.set(*module, "model.onnx");
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(notes::range.get(main, 0), (ElementRange{-4, 3}));
  EXPECT_EQ(notes::dims.get(main, 0), (Strings{"batch", ""}));
  EXPECT_EQ(notes::defaultValue.get(main, 0), 1);
  EXPECT_EQ(notes::source.get(*module), "model.onnx");
  EXPECT_TRUE(notes::kernel.has(main));
  EXPECT_TRUE(notes::kernel.remove(main));
  EXPECT_FALSE(notes::kernel.remove(main));
  EXPECT_FALSE(notes::arena.argumentOf(main));
  notes::arena.set(main, 0);
  EXPECT_EQ(notes::arena.argumentOf(main), main.getArgument(0));
}

/// If the value of an annotation has the wrong type, get() returns nothing, as if the annotation were absent. Code may
/// call get() before the verifier rejects the module.
TEST(Notes, ValuesOfAnotherTypeAreNotRead) {
  Runner runner;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&runner.context));
  (*module)->setAttr(notes::arenaSize.name, StringAttr::get(&runner.context, "64"));
  EXPECT_FALSE(notes::arenaSize.get(*module));
  EXPECT_TRUE(failed(verify(*module)));
  EXPECT_EQ(runner.errors, "heddle.arena_size: expected an integer, or array<i64: FIXED, BYTES, PRODUCT, ...>\n");
}

TEST(Notes, SizesInRanges) {
  Runner runner;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&runner.context));
  notes::sizes.set(*module, SizeRanges{{"batch", 1, 8, 4001}, {"length", 2, 512, 4003}});
  EXPECT_TRUE(succeeded(verify(*module)));
  Sizes sizes(*module);
  EXPECT_TRUE(sizes.of(384).isFixed());
  EXPECT_TRUE(sizes.of(0).isFixed());
  Extent rows = sizes.of(3 * 4001 * int64_t(4003) * 4003);
  EXPECT_EQ(rows.factor(), 3);
  EXPECT_EQ(rows.sizes(), llvm::ArrayRef<llvm::StringRef>({"batch", "length", "length"}));
  EXPECT_EQ(rows.low(), 3 * 2 * 2);
  EXPECT_EQ(rows.high(), 3 * 8 * 512 * 512);
  // An invalid range: the lower bound exceeds the upper bound.
  notes::sizes.set(*module, SizeRanges{{"batch", 8, 1, 4001}});
  EXPECT_TRUE(failed(verify(*module)));
}

TEST(Notes, AreFoundByName) {
  EXPECT_EQ(Note::find("heddle.range"), &notes::range);
  EXPECT_EQ(Note::find("heddle.ranges"), nullptr);
}

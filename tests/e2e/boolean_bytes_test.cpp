//===- boolean_bytes_test.cpp - any nonzero byte is true ------------------===//
//
// A caller may pass any nonzero byte as a true element of a boolean input. Code that uses only one bit of the byte, or
// that computes with the byte as a number, would return other results.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

#include "mlir/Parser/Parser.h"

namespace {

using Outputs = std::vector<std::vector<char>>;

struct BooleanBytes : QuotedOperations {
  /// Checks that results have the same bits whether true is 1 or another number, on one thread and on two.
  void check(heddle::Model model) {
    auto inputs = *heddle::randomInputs(model.module->lookupSymbol<mlir::func::FuncOp>("main"), 5);
    std::unique_ptr<heddle::Session> session = compileHere(std::move(model), cpu);
    ASSERT_TRUE(session);
    Outputs expected = callWith(*session, inputs, executor);
    std::vector<std::vector<char>> in;
    unsigned changed = 0;
    for (const heddle::Tensor &input : inputs) {
      in.push_back(input.toBytes());
      if (input.elementType().isInteger(1))
        for (char &byte : in.back())
          if (byte)
            byte = "\2\xff\x80\1\x10"[changed++ % 5];
    }
    ASSERT_GE(changed, 5u);
    std::vector<const void *> inPointers;
    for (std::vector<char> &bytes : in)
      inPointers.push_back(bytes.data());
    for (heddle_executor *threads : {static_cast<heddle_executor *>(nullptr), executor}) {
      Outputs out;
      std::vector<void *> outPointers;
      for (const std::vector<char> &bytes : expected)
        outPointers.push_back(out.emplace_back(bytes.size(), char(0xee)).data());
      ASSERT_FALSE(bool(session->run(inPointers, outPointers, threads)));
      // An output that is a reshaped input contains the caller's bytes.
      for (auto [i, bytes] : llvm::enumerate(out))
        if (session->model().outputs[i].type == HEDDLE_BOOL)
          for (char &byte : bytes)
            byte = byte != 0;
      EXPECT_EQ(out, expected);
    }
  }
};

// The masked attention operations have few queries, narrow heads, one block of keys, or many blocks of keys.
TEST_F(BooleanBytes, MasksOfAttention) {
  for (const char *operation :
       {"attention b=2 hq=2 hkv=1 s=39 d=16 mask=qk", "attention b=2 hq=2 hkv=2 sq=1 skv=70 d=32 mask=b11k",
        "attention b=1 hq=8 hkv=8 s=20 d=4 mask=b1qk", "attention b=1 hq=2 hkv=2 s=300 d=64 mask=qk causal=lower_right",
        "attention b=3 hq=2 hkv=2 s=130 d=64 mask=b11k masked_score=-1e9"}) {
    SCOPED_TRACE(operation);
    auto model = heddle::importModel(context, operation);
    ASSERT_TRUE(succeeded(model));
    check(std::move(*model));
  }
}

// Conversions to numbers, logic, reductions, moves, and an output that is a reshaped input.
TEST_F(BooleanBytes, OtherUses) {
  heddle::Model model;
  model.module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(
    func.func @main(%m: tensor<37x6xi1> {heddle.name = "m"}, %n: tensor<37x6xi1> {heddle.name = "n"},
                    %x: tensor<37x6xf32> {heddle.name = "x"})
        -> (tensor<37x6xf32> {heddle.name = "number"}, tensor<37x6xi64> {heddle.name = "integer"},
            tensor<37x6xf32> {heddle.name = "choice"}, tensor<37x6xi1> {heddle.name = "unequal"},
            tensor<37xi1> {heddle.name = "parity"}, tensor<6x37xi1> {heddle.name = "transposed"},
            tensor<5x4xi1> {heddle.name = "part"}, tensor<222xi1> {heddle.name = "flat"}) {
      %number = arith.uitofp %m : tensor<37x6xi1> to tensor<37x6xf32>
      %integer = arith.extui %m : tensor<37x6xi1> to tensor<37x6xi64>
      %choice = arith.select %m, %x, %number : tensor<37x6xi1>, tensor<37x6xf32>
      %unequal = arith.xori %m, %n : tensor<37x6xi1>
      %false = arith.constant false
      %e = tensor.empty() : tensor<37xi1>
      %start = linalg.fill ins(%false : i1) outs(%e : tensor<37xi1>) -> tensor<37xi1>
      %parity = linalg.reduce { arith.xori } ins(%m : tensor<37x6xi1>) outs(%start : tensor<37xi1>) dimensions = [1]
      %te = tensor.empty() : tensor<6x37xi1>
      %transposed = linalg.transpose ins(%m : tensor<37x6xi1>) outs(%te : tensor<6x37xi1>) permutation = [1, 0]
      %part = tensor.extract_slice %n[3, 1] [5, 4] [2, 1] : tensor<37x6xi1> to tensor<5x4xi1>
      %flat = tensor.collapse_shape %n [[0, 1]] : tensor<37x6xi1> into tensor<222xi1>
      return %number, %integer, %choice, %unequal, %parity, %transposed, %part, %flat
        : tensor<37x6xf32>, tensor<37x6xi64>, tensor<37x6xf32>, tensor<37x6xi1>, tensor<37xi1>, tensor<6x37xi1>,
          tensor<5x4xi1>, tensor<222xi1>
    })mlir", &context);
  ASSERT_TRUE(model.module);
  check(std::move(model));
}

} // namespace

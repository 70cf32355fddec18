//===- ProductKinds.td - list of the kinds of products --------------------===//

#ifndef HEDDLE_PRODUCT_KINDS_TD
#define HEDDLE_PRODUCT_KINDS_TD

include "HeddleBase.td"
include "ProductKind.td"

/// A kind whose element types are given by the C++ expressions `rows`, `weight` and `sum`, in which `c` is the
/// MLIRContext.
class Heddle_Kind<string name, string mnemonic_, int depth, string rows, string weight, string sum>
    : AttrDef<Heddle_Dialect, name, [DeclareAttrInterfaceMethods<Heddle_ProductKind>]> {
  let mnemonic = mnemonic_;
  code elementTypes = [{
    ::mlir::Type $cppClass::getRowsElement() const { auto *c = getContext(); return }] # rows # [{; }
    ::mlir::Type $cppClass::getWeightElement() const { auto *c = getContext(); return }] # weight # [{; }
    ::mlir::Type $cppClass::getSumElement() const { auto *c = getContext(); return }] # sum # [{; }
    int64_t $cppClass::getDepth() const { return }] # depth # [{; }
  }];
  let extraClassDefinition = elementTypes;
}

def Heddle_DotBytes : Heddle_Kind<"DotBytes", "dot_bytes", 4, "::mlir::IntegerType::get(c, 8)",
                                  "::mlir::IntegerType::get(c, 8)", "::mlir::IntegerType::get(c, 32)"> {
  let summary = "products of bytes; a step adds four of them to a sum of i32, which wraps around";
  let description = "`unsigned` names the operand whose bytes are unsigned; by default both operands are signed.";
  let parameters = (ins DefaultValuedParameter<"::heddle::UnsignedSide", "::heddle::UnsignedSide::None">:$unsignedSide);
  let assemblyFormat = "(`<` `unsigned` `=` $unsignedSide^ `>`)?";
}

def Heddle_DotWords : Heddle_Kind<"DotWords", "dot_words", 2, "::mlir::IntegerType::get(c, 16)",
                                  "::mlir::IntegerType::get(c, 8)", "::mlir::IntegerType::get(c, 32)"> {
  let summary = "products of i16 (rows) and i8 (weight); a step adds two of them to a sum of i32, which wraps around";
  let description = "This kind is for CPUs that cannot add products of bytes in i32 (target fact dot_bits).";
}

def Heddle_DotNibbles : Heddle_Kind<"DotNibbles", "dot_nibbles", 4, "::mlir::IntegerType::get(c, 8)",
                                    "::mlir::IntegerType::get(c, 8)", "::mlir::IntegerType::get(c, 32)"> {
  let summary = "products of bytes (rows) and of signed bytes in 4 bits (weight), as in #heddle.dot_bytes";
  let description = [{
    A byte of the weight contains the numbers of two steps of S: in its lower 4 bits that of step i < S / 2, in its
    upper 4 bits that of step i + S / 2. The bits b represent the number `values`[b]. `unsigned = rows` makes the bytes
    of rows unsigned; by default they are signed. With `sum_bits = 16`, the code adds up the products of all steps in
    numbers of 16 bits, for x86 CPUs without dot products of bytes (target fact dot_bits). That limits the number of
    steps.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$values,
                        DefaultValuedParameter<"::heddle::UnsignedSide", "::heddle::UnsignedSide::None">:$unsignedSide,
                        DefaultValuedParameter<"int64_t", "32">:$sumBits);
  let assemblyFormat = [{
    `<` `[` $values `]` (`unsigned` `=` $unsignedSide^)? (`sum_bits` `=` $sumBits^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getStepsPerElement() const { return 2; }
    int64_t getWeightNumber(int64_t bits, int64_t part) const { return getValues()[bits >> (4 * part) & 15]; }
    int64_t getMaxSteps() const;
    /// Returns values[0] if values[b] is values[0] + b for all b, otherwise nullopt.
    ::std::optional<int64_t> getOffset() const;
    /// Whether the sums of 16 bits are unsigned: neither rows nor values are negative.
    bool hasUnsignedSums() const;
  }];
}

def Heddle_DotBF16 : Heddle_Kind<"DotBF16", "dot_bf16", 2, "::mlir::BFloat16Type::get(c)",
                                 "::mlir::BFloat16Type::get(c)", "::mlir::Float32Type::get(c)"> {
  let summary = "products of bf16; a step adds two of them to a sum of f32";
  let description = [{
    It is unspecified how the sums are rounded and whether denormal numbers count as zero.
  }];
}

/// A kind whose products the matrix instructions of Intel AMX compute. A tile of rows and a tile of sums have 16 rows,
/// a tile of the weight has a row for each step, and a row of any tile has at most 64 bytes.
class Heddle_AmxKind<string name, string mnemonic_, int depth, string rows, string weight, string sum>
    : Heddle_Kind<name, mnemonic_, depth, rows, weight, sum> {
  let extraClassDeclaration = [{
    ::heddle::ProductUnit getUnit() const { return {16, 16, getSteps()}; }
  }];
}

def Heddle_AmxBF16 : Heddle_AmxKind<"AmxBF16", "amx_bf16", 2, "::mlir::BFloat16Type::get(c)",
                                    "::mlir::BFloat16Type::get(c)", "::mlir::Float32Type::get(c)"> {
  let summary = "products of tiles of bf16, as in #heddle.dot_bf16; one instruction computes `steps` steps (1 to 16)";
  let description = [{
    It is unspecified in which order products are added, how the sums are rounded and whether denormal numbers count as
    zero.
  }];
  let parameters = (ins "int64_t":$steps);
  let assemblyFormat = "`<` `steps` `=` $steps `>`";
}

def Heddle_AmxI8 : Heddle_AmxKind<"AmxI8", "amx_i8", 4, "::mlir::IntegerType::get(c, 8)",
                                  "::mlir::IntegerType::get(c, 8)", "::mlir::IntegerType::get(c, 32)"> {
  let summary = "products of tiles of bytes, as in #heddle.dot_bytes; one instruction computes `steps` steps (1 to 16)";
  let description = "`unsigned` names the operand whose bytes are unsigned; by default both operands are signed.";
  let parameters = (ins "int64_t":$steps,
                        DefaultValuedParameter<"::heddle::UnsignedSide", "::heddle::UnsignedSide::None">:$unsignedSide);
  let assemblyFormat = "`<` `steps` `=` $steps (`,` `unsigned` `=` $unsignedSide^)? `>`";
}

#endif // HEDDLE_PRODUCT_KINDS_TD

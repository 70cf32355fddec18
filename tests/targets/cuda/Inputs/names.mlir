// The location of the softmax has names with line breaks and comment delimiters, which would end the comment of a
// kernel if they were copied to PTX unchanged. The locations also refer to a function with debug information.
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = <"evil.c" in "/">, isOptimized = true, emissionKind = Full>
#type = #llvm.di_subroutine_type<>
#program = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #unit, scope = #unit, name = "evil", file = <"evil.c" in "/">, line = 1, scopeLine = 1, subprogramFlags = "Definition|Optimized", type = #type>
func.func @main(%x: tensor<7x37xf32> {heddle.name = "x"}) -> (tensor<7x37xf32> {heddle.name = "y"}) {
  %empty = tensor.empty() : tensor<7x37xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<7x37xf32>) outs(%empty : tensor<7x37xf32>) -> tensor<7x37xf32> loc(fused<#program>["a\0A.visible .entry evil() {}", "*/ b /*", fused<"evil">["c\\", "\00\FF", "evil.c":3:4]])
  return %y : tensor<7x37xf32> loc(fused<#program>["evil"])
} loc(fused<#program>["evil"])

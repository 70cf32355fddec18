//===- Dispatch.td - tasks shared among threads ---------------------------===//

#ifndef HEDDLE_OPS_DISPATCH_TD
#define HEDDLE_OPS_DISPATCH_TD

include "HeddleBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Heddle_DispatchOp : Op<Heddle_Dialect, "dispatch", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a function once for each task number below a count";
  let description = [{
    Calls task(i, scratch, captures...) for each i in [0, count), in any order and on any of the executor's threads, and
    returns when all calls are done. The calls are divided among workers, each of which runs on one thread and has its
    own scratch memory. The operand `scratch` is the memory of the first worker; the memory of each other worker, of the
    same size, begins at the end of the memory of the worker before it. `arena` is the memory that the caller provides
    for intermediate results. It starts with the call header, in which the entry point stores the executor.

    The compiler's stage `dispatch` creates this operation from `scf.forall`. `count` depends on shapes only, not on the
    contents of tensors.
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$task, Index:$count, MemRefOf<[I8]>:$arena,
    Optional<MemRefOf<[I8]>>:$scratch, Variadic<AnyType>:$captures);
  let assemblyFormat = [{
    $task `for` $count `in` $arena (`scratch` `(` $scratch^ `)`)? (`args` `(` $captures^ `)`)?
    attr-dict `:` type(operands)
  }];
}

#endif // HEDDLE_OPS_DISPATCH_TD

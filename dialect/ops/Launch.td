//===- Launch.td - a kernel on a grid of workgroups -----------------------===//

#ifndef HEDDLE_OPS_LAUNCH_TD
#define HEDDLE_OPS_LAUNCH_TD

include "HeddleBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Heddle_LaunchOp : Op<Heddle_Dialect, "launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a device function once for each workgroup";
  let description = [{
    Calls kernel(i, captures...) for each workgroup i in [0, groups), in any order or in parallel;
    launches run one after another. Within the kernel an `scf.forall` is a loop over the threads of the workgroup,
    which synchronize at its end. Code outside of these loops is the same for all
    threads, and a buffer that is allocated there belongs to the workgroup.

    On a GPU, stage `dispatch` creates it from the outermost `scf.forall`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$groups, Variadic<AnyType>:$captures);
  let assemblyFormat = [{
    $kernel `for` $groups (`args` `(` $captures^ `)`)? attr-dict `:` type(operands)
  }];
}

#endif // HEDDLE_OPS_LAUNCH_TD

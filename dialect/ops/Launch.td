//===- Launch.td - a kernel on a grid of workgroups -----------------------===//

#ifndef HEDDLE_OPS_LAUNCH_TD
#define HEDDLE_OPS_LAUNCH_TD

include "HeddleBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Heddle_LaunchOp : Op<Heddle_Dialect, "launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a device function once for each workgroup";
  let description = [{
    Calls kernel(i, captures...) for each workgroup i in [0, groups), in any order or in parallel; launches run one
    after another. In the kernel, an `scf.forall` distributes its iterations over the threads of the workgroup; the
    threads synchronize at the end of the loop. All threads run the code outside of these loops, and they share a buffer
    that is allocated there.

    For a GPU, the compiler's stage `dispatch` creates this operation from the outermost `scf.forall`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$groups, Variadic<AnyType>:$captures);
  let assemblyFormat = [{
    $kernel `for` $groups (`args` `(` $captures^ `)`)? attr-dict `:` type(operands)
  }];
}

#endif // HEDDLE_OPS_LAUNCH_TD

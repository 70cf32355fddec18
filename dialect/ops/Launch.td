//===- Launch.td - a kernel on a grid of workgroups -----------------------===//

#ifndef HEDDLE_OPS_LAUNCH_TD
#define HEDDLE_OPS_LAUNCH_TD

include "HeddleBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Heddle_LaunchOp : Op<Heddle_Dialect, "launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a function of a device once for each workgroup";
  let description = [{
    Calls kernel(i, arguments...) for each workgroup i in [0, groups), in any order or at once;
    launches follow each other. Within the kernel `scf.forall` are the threads of the workgroup,
    which wait for each other behind it; what stands outside of these loops is the same for all
    threads, and a buffer that is allocated there is the workgroup's.

    What the outermost `scf.forall` become on a GPU in stage `dispatch`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Index:$groups, Variadic<AnyType>:$captures);
  let assemblyFormat = [{
    $kernel `for` $groups (`args` `(` $captures^ `)`)? attr-dict `:` type(operands)
  }];
}

#endif // HEDDLE_OPS_LAUNCH_TD

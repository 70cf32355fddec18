"""IREE's CPU back end, which compiles the ONNX file of the work (the model or operation that is timed). The compiled
module is called through IREE's virtual machine."""
import pathlib
import subprocess
import sys

from iree import runtime

from . import Contestant

NAME, PACKAGE = "IREE", "iree-base-compiler"


def compile_onnx(work, mcpu):
    """Returns the path of IREE's module beside the work's ONNX file. Compiles the module if it is missing."""
    module = work.onnx.with_suffix(f".{mcpu}.vmfb")
    if not module.exists():
        tools, mlir = pathlib.Path(sys.executable).parent, work.onnx.with_suffix(".iree.mlir")
        subprocess.run([tools / "iree-import-onnx", work.onnx, "-o", mlir], check=True, capture_output=True)
        subprocess.run([tools / "iree-compile", mlir, "--iree-hal-target-device=local",
                        "--iree-hal-local-target-device-backends=llvm-cpu", f"--iree-llvmcpu-target-cpu={mcpu}",
                        "--iree-opt-level=O3", "-o", module], check=True, capture_output=True)
    return module


def prepare(work, threads):
    if threads > 1:
        runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
    config = runtime.Config("local-task" if threads > 1 else "local-sync")
    module = runtime.VmModule.mmap(config.vm_instance, str(compile_onnx(work, work.mcpu or "host")))
    name = next(n for n in module.function_names if not n.endswith("$async") and n != "__init")
    function, context = module.lookup_function(name), runtime.VmContext(
        config.vm_instance, modules=[*config.default_vm_modules, module])
    buffers = [runtime.asdevicearray(config.device, work.inputs[n]) for n in work.input_order]
    arguments, last = runtime.VmVariantList(len(buffers)), []
    for buffer in buffers:
        arguments.push_ref(buffer._buffer_view)

    def call():  # does the same as a function of runtime.load_vm_module(), without converting arguments and results
        results = runtime.VmVariantList(len(work.expected))
        context.invoke(function, arguments, results)
        last[:] = [results]

    def outputs():
        views = [last[0].get_as_object(i, runtime.HalBufferView) for i in range(len(last[0]))]
        return {n: runtime.DeviceArray(config.device, view).to_host() for n, view in zip(work.expected, views)}
    return Contestant(call, outputs)

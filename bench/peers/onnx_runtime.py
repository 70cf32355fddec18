"""ONNX Runtime on the CPU, with inputs and outputs bound once."""
import numpy as np
import onnxruntime

from . import Contestant

NAME, PACKAGE = "ONNX Runtime", "onnxruntime"


def prepare(work, threads):
    return session(work.onnx, work, threads)


def session(model, work, threads):
    """Returns a Contestant that runs the ONNX file `model` on the inputs of `work`."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    binding, outputs, keep = session.io_binding(), {}, []
    for tensor in session.get_inputs():
        keep.append(onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(work.inputs[tensor.name])))
        binding.bind_ortvalue_input(tensor.name, keep[-1])
    for tensor in session.get_outputs():
        value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(work.expected[tensor.name].shape, np.float32)
        binding.bind_ortvalue_output(tensor.name, value)
        outputs[tensor.name] = value
    # session.run_with_iobinding is a wrapper in Python around this function.
    run, bound = session._sess.run_with_iobinding, binding._iobinding
    return Contestant(lambda: run(bound, None), lambda: {name: value.numpy() for name, value in outputs.items()})

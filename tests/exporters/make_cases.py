"""Writes tests/exporters/cases.tar.xz: small models as torch's exporters and ONNX Runtime's optimizer write them.

    python3 tests/exporters/make_cases.py tests/exporters/cases.tar.xz

needs torch, onnx, onnxscript, onnxruntime, transformers and safetensors; made with torch 2.15, onnx 1.23.2, onnxscript
0.7.2, onnxruntime 1.31 and transformers 5.23. A case is a folder with inputs, results and models <how>-<opset>.onnx, how
being script (torch.onnx.export, dynamo=False), dynamo or runtime. Results are torch's in f64, or of runtime models those
of ONNX Runtime in f32. What an exporter refuses is left out and printed.
"""
import io
import logging
import pathlib
import sys
import tarfile
import tempfile
import warnings

import onnx
import torch
from safetensors.torch import save_file

import runtime_cases
import torch_cases

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)


def export(module, inputs, names, results, path, how, opset):
    if how == "script":
        torch.onnx.export(module, inputs, path, opset_version=opset, dynamo=False, input_names=names, output_names=results)
    else:
        torch.onnx.export(module, inputs, path, opset_version=opset, dynamo=True, external_data=False, verbose=False,
                          input_names=names, output_names=results)
    model = onnx.load(path)
    model.graph.ClearField("value_info")
    model.ClearField("metadata_props")
    for node in model.graph.node:
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    onnx.save(model, path)


def save_tensors(folder, inputs, results):
    contiguous = lambda tensors: {name: tensor.contiguous() for name, tensor in tensors.items()}
    save_file(contiguous(inputs), folder / "inputs.safetensors")
    save_file(contiguous(results), folder / "expected.safetensors")


def torch_case(folder, case):
    torch.manual_seed(0)
    module, inputs = case.make()
    module.eval()
    names = [f"x{i}" for i in range(len(inputs))]
    with torch.no_grad():
        double = [x.double() if x.is_floating_point() else x for x in inputs]
        expected = module.double()(*double)
        module.float()
    expected = expected if isinstance(expected, tuple) else (expected,)
    results = [f"y{i}" for i in range(len(expected))]
    folder.mkdir(parents=True)
    save_tensors(folder, dict(zip(names, inputs)),
                 {name: y.float() if y.is_floating_point() else y for name, y in zip(results, expected)})
    for how, opsets in case.exports.items():
        for opset in opsets:
            try:
                export(module, inputs, names, results, folder / f"{how}-{opset}.onnx", how, opset)
            except Exception as error:  # what the exporter does not know
                (folder / f"{how}-{opset}.onnx").unlink(missing_ok=True)
                print(f"{folder.name}: {how} {opset}: {str(error).splitlines()[0][:150]}")


def main():
    with tempfile.TemporaryDirectory() as work, tarfile.open(sys.argv[1], "w:xz", preset=9) as archive:
        work = pathlib.Path(work)
        for name, case in torch_cases.cases().items():
            torch_case(work / name, case)
        for name, (model, inputs, results) in runtime_cases.cases(work / "optimized").items():
            folder = work / name
            folder.mkdir()
            onnx.save(model, folder / "runtime.onnx")
            save_tensors(folder, inputs, results)
        for path in sorted(work.glob("*/*")):
            if path.parent.name == "optimized":
                continue
            entry = tarfile.TarInfo(str(path.relative_to(work)))
            data = path.read_bytes()
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


main()

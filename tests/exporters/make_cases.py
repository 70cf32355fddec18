"""Writes tests/exporters/cases.tar.xz: small ONNX models that torch's exporters and ONNX Runtime's optimizer write.

    python3 tests/exporters/make_cases.py tests/exporters/cases.tar.xz [CASE...]

The script needs torch, onnx, onnxscript, onnxruntime, transformers and safetensors. The archive was made with torch
2.15, onnx 1.23.2, onnxscript 0.7.2, onnxruntime 1.31 and transformers 5.23. Each case is a folder with inputs, expected
results and models. A model is named script-OPSET.onnx (torch.onnx.export with dynamo=False), dynamo-OPSET.onnx
(dynamo=True), or runtime.onnx (operators of ONNX Runtime). torch computes the expected results in f64, except that ONNX
Runtime computes the results of runtime.onnx in f32. If an exporter rejects a module, the script prints the error and
skips the model. If CASEs are given, the script replaces only these cases, and all others remain in the archive.
"""
import io
import logging
import pathlib
import shutil
import sys
import tarfile
import tempfile
import warnings

import onnx
import torch
from safetensors.torch import save_file

import hub_cases
import runtime_cases
import torch_cases

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)


def export(module, inputs, names, results, axes, path, how, opset):
    """Exports a module to the file `path` and removes metadata, which would make the archive larger.

    inputs: the tensors with which the exporter calls the module. names, results: the names of inputs and outputs. axes:
    maps the names of inputs and outputs to their dynamic axes, or None. how: the exporter, `script` or `dynamo`.
    """
    if how == "script":
        torch.onnx.export(module, inputs, path, opset_version=opset, dynamo=False, input_names=names, output_names=results,
                          dynamic_axes=axes)
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
    """Writes the inputs, the expected results and all models of a Case to a new folder."""
    torch.manual_seed(0)
    module, inputs = case.make()
    module.eval()
    names = list(case.names or [f"x{i}" for i in range(len(inputs))])
    with torch.no_grad():
        double = [x.double() if x.is_floating_point() else x for x in inputs]
        expected = module.double()(*double)
        module.float()
    expected = expected if isinstance(expected, tuple) else (expected,)
    results = list(case.results or [f"y{i}" for i in range(len(expected))])
    axes = {**case.names, **case.results} if case.names else None
    folder.mkdir(parents=True)
    if case.sizes:
        (folder / "sizes").write_text("".join(f"{name}={size}\n" for name, size in case.sizes.items()))
    save_tensors(folder, dict(zip(names, inputs)),
                 {name: y.float() if y.is_floating_point() else y for name, y in zip(results, expected)})
    for how, opsets in case.exports.items():
        for opset in opsets:
            try:
                export(module, inputs, names, results, axes, folder / f"{how}-{opset}.onnx", how, opset)
            except Exception as error:  # the exporter does not support the module
                (folder / f"{how}-{opset}.onnx").unlink(missing_ok=True)
                print(f"{folder.name}: {how} {opset}: {str(error).splitlines()[0][:150]}")


def main():
    # The paths in the archive are CASE/FILE. Entries have no times and owners, so that equal cases give equal bytes.
    archive, chosen = pathlib.Path(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        if chosen:
            with tarfile.open(archive) as old:
                old.extractall(work)
            for name in chosen:
                shutil.rmtree(work / name, ignore_errors=True)
        for name, case in {**torch_cases.cases(), **hub_cases.cases()}.items():
            if not chosen or name in chosen:
                torch_case(work / name, case)
        optimized = work / "optimized"
        for name, (model, inputs, results) in runtime_cases.cases(optimized).items():
            if not chosen or name in chosen:
                folder = work / name
                folder.mkdir()
                onnx.save(model, folder / "runtime.onnx")
                save_tensors(folder, inputs, results)
        shutil.rmtree(optimized)
        with tarfile.open(archive, "w:xz", preset=9) as new:
            for path in sorted(work.glob("*/*")):
                entry = tarfile.TarInfo(str(path.relative_to(work)))
                data = path.read_bytes()
                entry.size = len(data)
                new.addfile(entry, io.BytesIO(data))


main()

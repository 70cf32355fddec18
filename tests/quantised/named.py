"""The named cases: variations of every form of onnx_forms.py, which are the same in every run. Most of them have the
lowest opset that supports them."""
import numpy as np

import onnx_forms as forms
from made_scales import WAYS, with_made_scales

S8, U8 = np.int8, np.uint8


def cases():
    """Yields (name, opset, form, rows, K, N, variation) for each case."""
    for dtype in (S8, U8):
        sign = np.dtype(dtype).name
        for columns in (False, True):
            for zero in (None, "zeros", "any"):
                name = f"dynamic-{sign}-{'columns' if columns else 'tensor'}-{zero}-zero"
                yield name, 11, forms.dynamic_product, (2,), 33, 17, {"dtype": dtype, "columns": columns, "zero": zero}
        for op in ("DynamicQuantizeMatMul", "MatMulIntegerToFloat"):
            yield f"{op}-{sign}", 13, forms.runtime_product, (3,), 33, 17, {"dtype": dtype, "op": op}
            yield f"{op}-{sign}-all", 17, forms.runtime_product, (2, 3), 21, 9, {
                "dtype": dtype, "op": op, "columns": True, "zero": "any", "bias": True}
        for rows_dtype in (S8, U8):
            both = {"rows_dtype": rows_dtype, "dtype": dtype}
            name = f"{np.dtype(rows_dtype).name}-{sign}"
            yield f"qdq-tensor-{name}", 10, forms.static_product, (4,), 33, 17, {**both, "axis": None}
            yield f"qdq-columns-{name}", 13, forms.static_product, (2, 2), 33, 17, both
            yield f"qdq-columns-zeros-{name}", 15, forms.static_product, (1,), 40, 5, {**both, "zero": "any", "axis": -1}
            yield f"qdq-gemm-{name}", 14, forms.gemm, (5,), 33, 17, both
        yield f"weight-tensor-{sign}", 10, forms.stored_product, (3,), 33, 17, {"dtype": dtype, "axis": None}
        yield f"weight-no-zero-{sign}", 18, forms.stored_product, (3,), 33, 17, {"dtype": dtype, "zero": None}
        yield f"weight-rows-{sign}", 19, forms.stored_product, (3,), 13, 7, {"dtype": dtype, "axis": 0}
        for block in (16, 32, 128):
            yield f"weight-blocks-{block}-{sign}", 21, forms.stored_product, (3,), 129, 5, {
                "dtype": dtype, "axis": 0, "block": block}
        yield f"weight-blocks-of-columns-{sign}", 23, forms.stored_product, (3,), 9, 37, {"dtype": dtype, "block": 16}
        yield f"weight-4-bits-{sign}", 21, forms.stored_product, (3,), 33, 17, {"dtype": dtype, "bits": 4}
        yield f"weight-4-bits-tensor-{sign}", 22, forms.stored_product, (3,), 33, 17, {
            "dtype": dtype, "bits": 4, "axis": None, "zero": None}
        for block in (16, 32):
            yield f"qdq-4-bits-blocks-{block}-{sign}", 21, forms.static_product, (3,), 33, 17, {
                "dtype": dtype, "bits": 4, "axis": 0, "block": block, "zero": "any"}
        yield f"pair-{sign}", 10, forms.pair, (3, 4), 5, 0, {"dtype": dtype}
        yield f"pair-columns-{sign}", 13, forms.pair, (3, 4), 7, 0, {"dtype": dtype, "axis": 2}
        yield f"pair-blocks-{sign}", 21, forms.pair, (3,), 13, 0, {"dtype": dtype, "block": 4}
        yield f"pair-one-long-block-{sign}", 21, forms.pair, (3,), 13, 0, {"dtype": dtype, "block": 2 ** 40}
        yield f"weight-one-long-block-{sign}", 21, forms.stored_product, (3,), 33, 17, {"dtype": dtype, "axis": 0, "block": 2 ** 62}
        yield f"rounded-weight-{sign}", 13, forms.rounded_weight, (3,), 33, 17, {"dtype": dtype}
        yield f"integers-{sign}", 10, forms.integers_product, (4,), 33, 17, {"dtype": dtype}
        yield f"integers-columns-{sign}", 21, forms.integers_product, (4,), 33, 17, {
            "dtype": dtype, "columns": True, "zero": "any"}
        odd = [0.0, -0.01, 1e-40, 1e-45, np.nan]
        yield f"odd-dynamic-{sign}", 11, forms.with_odd_scales(forms.dynamic_product, odd), (2,), 33, 17, {
            "dtype": dtype, "columns": True, "zero": "any"}
        yield f"odd-runtime-{sign}", 11, forms.with_odd_scales(forms.runtime_product, odd), (2,), 33, 17, {
            "dtype": dtype, "columns": True, "bias": True}
        yield f"odd-weight-{sign}", 21, forms.with_odd_scales(forms.stored_product, odd + [np.inf]), (2,), 33, 17, {
            "dtype": dtype, "axis": 0, "block": 16}
        yield f"odd-4-bits-{sign}", 21, forms.with_odd_scales(forms.stored_product, odd + [np.inf]), (2,), 33, 17, {
            "dtype": dtype, "bits": 4}
    for zero in (None, "packed", "floats"):
        yield f"odd-MatMulNBits-{zero}-zero", 17, forms.with_odd_scales(forms.nbits, [0.0, -0.01, 1e-40, np.nan, np.inf]), (2,), 33, 17, {
            "zero": zero}
    for way in WAYS:
        for columns in (False, True):
            name = f"{'columns' if columns else 'tensor'}-{way}"
            yield f"made-dynamic-{name}", 13, with_made_scales(forms.dynamic_product, way), (2,), 33, 17, {"columns": columns}
            yield f"made-runtime-{name}", 13, with_made_scales(forms.runtime_product, way), (3,), 33, 17, {
                "columns": columns, "op": "MatMulIntegerToFloat" if columns else "DynamicQuantizeMatMul"}
        yield f"made-weight-{way}", 21, with_made_scales(forms.stored_product, way), (3,), 33, 17, {"axis": 0, "block": 16}
    yield "pair-no-zero", 10, forms.pair, (3,), 5, 0, {"zero": False}
    yield "dynamic-bias-swapped", 20, forms.dynamic_product, (2, 3), 33, 17, {"bias": True, "swapped": True, "columns": True}
    yield "dynamic-one-element", 11, forms.dynamic_product, (1,), 1, 1, {"dtype": U8, "zero": "any"}
    yield "gemm-plain", 13, forms.gemm, (5,), 33, 17, {"transposed": False, "axis": 1, "bias": False}
    yield "gemm-factors", 13, forms.gemm, (5,), 33, 17, {"alpha": 0.5, "beta": -2.0, "zero": "any"}
    for bits in (4, 8):
        for block in (16, 32, 128):
            for zero in (None, "packed"):
                yield f"MatMulNBits-{bits}-{block}-{zero}-zero", 17, forms.nbits, (2,), 33, 17, {
                    "bits": bits, "block": block, "zero": zero}
        yield f"MatMulNBits-{bits}-floats", 17, forms.nbits, (2,), 70, 5, {"bits": bits, "zero": "floats", "block": 32}
        yield f"MatMulNBits-{bits}-bias", 21, forms.nbits, (2, 3), 64, 3, {"bits": bits, "bias": True, "zero": "packed"}
    for bits, k in ((4, 7), (4, 31), (8, 16)): # All zero points are in one byte.
        yield f"MatMulNBits-{bits}-{k}-one-byte", 17, forms.nbits, (2,), k, 1, {"bits": bits, "zero": "packed"}
    yield "MatMulNBits-4-256", 17, forms.nbits, (2,), 300, 3, {"block": 256, "zero": "packed"}
    for zero in (None, "packed", "floats"):
        yield f"MatMulNBits-order-{zero}-zero", 17, forms.nbits, (2,), 60, 5, {"order": True, "zero": zero}

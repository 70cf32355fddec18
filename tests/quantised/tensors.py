"""Converts between .safetensors files and numpy arrays. A uint16 represents the bf16 number with the same bits."""
import json
import struct

import numpy as np

TYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "I64": np.int64, "I32": np.int32, "I8": np.int8,
         "U8": np.uint8, "BF16": np.uint16}
NAMES = {np.dtype(dtype): name for name, dtype in TYPES.items()}


def encode(tensors):
    """Returns the bytes of a .safetensors file with these arrays, a dictionary by name."""
    header, data = {}, b""
    for name, array in tensors.items():
        array = np.asarray(array)
        begin = len(data)
        data += array.tobytes()
        header[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def decode(data):
    """Returns the arrays of a .safetensors file by name. `data` contains the bytes of the file."""
    size = struct.unpack_from("<Q", data)[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def to_bf16(array):
    """Returns the bits of the numbers rounded to bf16, ties to even. The numbers must be finite."""
    bits = np.asarray(array, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def to_f32(array):
    """Returns the numbers of an array in f32. An array of uint16 contains bf16 numbers."""
    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32)

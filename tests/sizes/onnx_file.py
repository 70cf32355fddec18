"""Writes a value, and everything from which it is computed, as an ONNX file."""
import numpy as np
import onnx
from onnx import helper, numpy_helper

from elements import TYPES
from values import Constant, Input

OPSET = 17


class Scope:
    """The nodes of the main graph, or of a branch of an If. Nodes of a branch may use values of the enclosing scope
    `outer`, which is None for the main graph."""

    def __init__(self, model, outer=None):
        self.model, self.outer, self.nodes, self.names = model, outer, [], {}

    def name_of(self, value):
        """Returns the name of the value in the file. Writes its node if neither this scope nor an enclosing one
        contains the node."""
        scope = self
        while scope:
            if value in scope.names:
                return scope.names[value]
            scope = scope.outer
        name = self.names[value] = self._write(value)
        return name

    def _write(self, value):
        if isinstance(value, Input):
            return self.model.add_input(value)
        if isinstance(value, Constant) and not self.model.constants_are_nodes:
            return self.model.add_constant(value)
        operands = ["" if operand is None else self.name_of(operand) for operand in value.inputs]
        attributes = {key: numpy_helper.from_array(of) if isinstance(of, np.ndarray) else of
                      for key, of in value.attributes.items()}
        if isinstance(value, Constant):
            attributes = {"value": numpy_helper.from_array(value.array)}
        name = self.model.fresh(value.op)
        if value.branches:
            for key, branch in zip(("then_branch", "else_branch"), value.branches):
                attributes[key] = self._branch(branch, f"{name}_{key}")
        index, count = value.output
        outputs = [f"{name}_out{number or ''}" for number in range(count)]
        self.nodes.append(helper.make_node(value.op, operands, outputs, name=name, **attributes))
        return outputs[index]

    def _branch(self, value, name):
        """Returns the graph of a branch whose result is `value`."""
        scope = Scope(self.model, self)
        result = scope.name_of(value)
        # ONNX requires that a node of the branch computes the result. If the result is a value of an enclosing scope,
        # an Identity is added.
        if result not in (output for node in scope.nodes for output in node.output):
            scope.nodes.append(helper.make_node("Identity", [result], [name + "_out"], name=name))
            result = name + "_out"
        return helper.make_graph(scope.nodes, name, [], [typed(result, value.dtype)])


def typed(name, dtype, shape=None):
    """Returns the ONNX declaration of a tensor. Without a shape, its rank is unknown."""
    return helper.make_tensor_value_info(name, TYPES[dtype], shape)


class Model:
    """The inputs and constants of a file. If `constants_are_nodes` is true, constants are written as nodes, otherwise
    as initializers."""

    def __init__(self, constants_are_nodes):
        self.constants_are_nodes = constants_are_nodes
        self.inputs, self.constants, self.counts = [], [], {}

    def fresh(self, op):
        """Returns a new name: OP_0, OP_1, ..."""
        number = self.counts[op] = self.counts.get(op, -1) + 1
        return f"{op}_{number}"

    def add_input(self, value):
        self.inputs.append(typed(value.name, value.dtype, value.shape))
        return value.name

    def add_constant(self, value):
        name = self.fresh("constant")
        self.constants.append(numpy_helper.from_array(value.array, name))
        return name


def write(path, value, inputs, constants_are_nodes):
    """Writes a model with the output `value` to the file `path`, and returns the names of the main graph's nodes. The
    file declares all `inputs`, also inputs that the value does not depend on."""
    model = Model(constants_are_nodes)
    scope = Scope(model)
    for operand in inputs:
        scope.name_of(operand)
    result = scope.name_of(value)
    scope.nodes.append(helper.make_node("Identity", [result], ["out"], name="out"))
    graph = helper.make_graph(scope.nodes, "sizes", model.inputs, [typed("out", value.dtype)], model.constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    with open(path, "wb") as file:
        file.write(proto.SerializeToString())
    return [node.name for node in scope.nodes]


def nodes_of(path):
    """Returns the names of the nodes of a file, including those in branches."""
    def names(graph):
        for node in graph.node:
            yield node.name
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    yield from names(attribute.g)
    return set(names(onnx.load(path).graph))

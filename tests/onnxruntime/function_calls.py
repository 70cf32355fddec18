"""Evaluates models with functions as the ONNX specification defines them: a call runs the nodes of the function with
the same domain, name and overload, and values of the caller are not visible in them. An attribute that the call omits
has the function's default value. Operators are computed by the reference evaluator of the package onnx, one node at a
time.

ONNX Runtime is not a reference for such models: version 1.32.0 ignores `overload` and calls another function of the
same name.
"""
import copy

import numpy as np
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator


class Evaluator:
    # Functions are found by (domain, name, overload).
    def __init__(self, model):
        self.graph = model.graph
        self.opsets = [opset for opset in model.opset_import if opset.domain == ""]
        self.functions = {(function.domain, function.name, function.overload): function for function in model.functions}

    def evaluate(self, feeds):
        """Returns the outputs of the model, in order."""
        values = {tensor.name: numpy_helper.to_array(tensor) for tensor in self.graph.initializer}
        values.update(feeds)
        self._run(self.graph.node, values, {})
        return [values[output.name] for output in self.graph.output]

    def _run(self, nodes, values, attributes):
        """Computes the nodes and adds their results to `values`, the arrays by name. `attributes` maps the names of the
        enclosing function's attributes to the attributes with their values; it is empty for nodes of the graph."""
        for node in nodes:
            node = self._with_values(node, attributes)
            operands = [values[name] if name else None for name in node.input]
            results = self._compute(node, operands, values, attributes)
            values.update(zip(node.output, results))

    @staticmethod
    def _with_values(node, attributes):
        """Returns a copy of the node in which attributes that refer to attributes of the enclosing function have
        values. Attributes that refer to an attribute without a value are removed."""
        node = copy.deepcopy(node)
        given = []
        for attribute in node.attribute:
            if not attribute.ref_attr_name:
                given.append(attribute)
            elif attribute.ref_attr_name in attributes:
                value = copy.deepcopy(attributes[attribute.ref_attr_name])
                value.name = attribute.name
                given.append(value)
        given = [copy.deepcopy(attribute) for attribute in given]
        del node.attribute[:]
        node.attribute.extend(given)
        return node

    def _compute(self, node, operands, values, attributes):
        """Returns the results of a node. `operands` are arrays, or None where the node omits an operand. `values` are
        the visible values, which the bodies of an If may use."""
        function = self.functions.get((node.domain, node.op_type, node.overload))
        if function:
            return self._call(function, node, operands)
        if node.op_type == "If":
            branch = "then_branch" if operands[0] else "else_branch"
            graph = next(attribute.g for attribute in node.attribute if attribute.name == branch)
            inner = dict(values)
            self._run(graph.node, inner, attributes)
            return [inner[output.name] for output in graph.output]
        return self._operator(node, operands)

    def _call(self, function, node, operands):
        """Returns the results of a function for the node that calls it."""
        attributes = {attribute.name: attribute for attribute in function.attribute_proto}
        known = set(attributes) | set(function.attribute)
        attributes.update({attribute.name: attribute for attribute in node.attribute if attribute.name in known})
        operands = list(operands) + [None] * (len(function.input) - len(operands))
        values = dict(zip(function.input, operands))
        self._run(function.node, values, attributes)
        return [values[name] for name in function.output]

    def _operator(self, node, operands):
        """Returns the results of an operator, which the package onnx evaluates as a model of one node."""
        while operands and operands[-1] is None:
            operands = operands[:-1]
        feeds = {f"operand{i}": np.asarray(value) for i, value in enumerate(operands) if value is not None}
        names = [f"operand{i}" if value is not None else "" for i, value in enumerate(operands)]
        single = helper.make_node(node.op_type, names, ["result"])
        single.attribute.extend(node.attribute)
        inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), None)
                  for name, value in feeds.items()]
        result = helper.make_tensor_value_info("result", 1, None)
        model = helper.make_model(helper.make_graph([single], "node", inputs, [result]), opset_imports=self.opsets)
        return ReferenceEvaluator(model).run(None, feeds)

"""Models with functions: attributes that are passed on or have defaults, nested calls, omitted operands, overloads,
colliding names, and calls in the bodies of other nodes."""
from onnx import AttributeProto, helper

import common
import function_calls

OPSET = 20
NAMES = ["x", "y", "t", "u", "v", "f0"]


def imports():
    return [helper.make_opsetid("", OPSET), helper.make_opsetid("local", 1)]


def reference(name, attribute):
    """Returns an attribute `name` for a node. Its value is that of the float attribute `attribute` of the enclosing
    function."""
    return AttributeProto(name=name, type=AttributeProto.FLOAT, ref_attr_name=attribute)


class Body:
    """The nodes of a function or of the graph, to which random nodes are appended. All values have the shape of the
    graph's input, so any value can be an operand. `values` are names of values that nodes may read; `functions` are the
    entries that make_function returned."""

    def __init__(self, rng, values, functions, attributes):
        self.rng, self.values, self.functions = rng, list(values), functions
        self.attributes = attributes  # names of float attributes that nodes may refer to
        # `taken` contains all names that values have; a new value needs another name.
        self.nodes, self.taken = [], set(values)

    def name(self):
        """Returns an unused name, from NAMES as long as there is one, so that names in different functions collide."""
        free = [name for name in NAMES if name not in self.taken]
        name = self.rng.choice(free) if free else f"n{len(self.taken)}"
        self.taken.add(name)
        return name

    def add(self, operator, inputs, output=None, **attributes):
        """Appends a node and returns the name of its output. If the value of an attribute is a tuple, the attribute
        refers to the attribute of the function that the tuple names."""
        output = output or self.name()
        refer = {key: value for key, value in attributes.items() if isinstance(value, tuple)}
        node = helper.make_node(operator, inputs, [output], name=self.rng.choice(["", output]),
                                **{key: value for key, value in attributes.items() if key not in refer})
        node.attribute.extend(reference(key, value[0]) for key, value in refer.items())
        self.nodes.append(node)
        self.values.append(output)
        return output

    def number(self):
        """Returns a float or a tuple that contains the name of an attribute of the function."""
        if self.attributes and self.rng.random() < 0.6:
            return (self.rng.choice(self.attributes),)
        return round(self.rng.uniform(0.1, 2), 2)

    def call(self):
        """Appends a call of a random function. The call may omit attributes that have a default value."""
        function = self.rng.choice(self.functions)
        inputs = [self.rng.choice(self.values) for _ in range(function["needed"])]
        outputs = [self.name() for _ in range(function["outputs"])]
        node = helper.make_node(function["name"], inputs, outputs, domain="local", overload=function["overload"],
                                name=self.rng.choice(["", outputs[0]]))
        for attribute in function["attributes"]:
            if attribute in function["defaults"] and self.rng.random() < 0.5:
                continue
            value = self.number()
            isReference = isinstance(value, tuple)
            node.attribute.append(reference(attribute, value[0]) if isReference else
                                  helper.make_attribute(attribute, value))
        self.nodes.append(node)
        self.values += outputs

    def branch(self):
        """Appends an If. Its condition is constant, and its branches may call functions."""
        condition = self.add("Constant", [], value=common.tensor("", self.rng.random() < 0.5))
        # The condition is a scalar, so other nodes cannot read it.
        self.values.remove(condition)
        graphs = []
        for _ in range(2):
            body = Body(self.rng, self.values, self.functions, self.attributes)
            body.taken |= self.taken
            body.steps(self.rng.randrange(1, 3), deep=False)
            graphs.append(helper.make_graph(body.nodes, "b", [], [helper.make_tensor_value_info(body.values[-1], 1, None)]))
            self.taken |= body.taken
        self.add("If", [condition], then_branch=graphs[0], else_branch=graphs[1])

    def step(self, deep):
        """Appends a random node or call; an If only if `deep` is true."""
        value, other = self.rng.choice(self.values), self.rng.choice(self.values)
        kind = self.rng.randrange(9)
        if kind < 3 and self.functions:
            self.call()
        elif kind == 3 and deep:
            self.branch()
        elif kind == 4:
            self.add(self.rng.choice(["LeakyRelu", "Elu"]), [value], alpha=self.number())
        elif kind == 5:
            self.add("Mul", [value, self.add("Constant", [], value_float=self.number())])
            # Removes the constant, a scalar, which other nodes cannot read.
            self.values.pop(-2)
        elif kind == 6:
            self.add("Softmax", [value], axis=self.rng.choice([1, 2, -1]))
        elif kind == 7:
            self.add(self.rng.choice(["Add", "Sub"]), [value, other])
        else:
            self.add(self.rng.choice(["Tanh", "Neg", "Abs", "Sigmoid", "Gelu", "Identity"]), [value])

    def steps(self, count, deep=True):
        for _ in range(count):
            self.step(deep)


def make_function(rng, i, known):
    """Returns a function and its entry: a description for calls. `known` are the entries of the functions that it may
    call. Functions 2 k and 2 k + 1 have the same name and differ in their overload."""
    needed = rng.randrange(1, 3)
    formal = rng.sample(NAMES, needed + 1)
    attributes = rng.sample(["alpha", "beta", "slope"], rng.randrange(3))
    defaults = [name for name in attributes if rng.random() < 0.5]
    body = Body(rng, formal[:needed], known, attributes)
    body.steps(rng.randrange(1, 5))
    made = [name for name in body.values if name not in formal[:needed]]
    outputs = rng.sample(made, min(len(made), rng.randrange(1, 3)))
    overload = rng.choice(["", "", "a", "b"])
    if any((entry["name"], entry["overload"]) == (f"f{i // 2}", overload) for entry in known):
        overload = f"o{i}"
    function = helper.make_function("local", f"f{i // 2}", formal[:needed], outputs, body.nodes, imports(),
                                    [name for name in attributes if name not in defaults],
                                    [helper.make_attribute(name, round(rng.uniform(0.1, 2), 2)) for name in defaults],
                                    overload=overload)
    return function, {"name": f"f{i // 2}", "overload": overload, "needed": needed, "outputs": len(outputs),
                      "attributes": attributes, "defaults": defaults}


def clips():
    """Yields a function whose second and third operands may be omitted, and a function that calls the former and passes
    its own operands on. The two functions give the names x, y and t to different operands."""
    nodes = [helper.make_node("Clip", ["x", "y", "t"], ["v"]), helper.make_node("Tanh", ["v"], ["u"])]
    yield helper.make_function("local", "clip", ["x", "y", "t"], ["u"], nodes, imports())
    nodes = [helper.make_node("clip", ["t", "x", "y"], ["v"], domain="local"), helper.make_node("Neg", ["v"], ["u"])]
    yield helper.make_function("local", "bound", ["t", "x", "y"], ["u"], nodes, imports())


def make(rng):
    """Returns a model, its inputs by name, and values of the option --dim."""
    protos, known = [], []
    for i in range(rng.randrange(1, 6)):
        proto, entry = make_function(rng, i, known)
        protos.append(proto)
        known.append(entry)
    sizes = {"b": rng.randrange(1, 4), "s": rng.randrange(2, 6)}
    shape = ["b", "s", 8]
    body = Body(rng, ["x"], known, [])
    body.taken |= {"low", "high"}
    body.call()
    body.steps(rng.randrange(1, 4))
    initializers = [common.tensor("low", common.numbers(rng)), common.tensor("high", abs(common.numbers(rng)) + 1)]
    if rng.random() < 0.5:
        protos += clips()
        operands = rng.choice([["low"], ["", "high"], ["low", "high"], []])
        output = body.name()
        body.nodes.append(helper.make_node(rng.choice(["clip", "bound"]), [body.values[-1], *operands], [output],
                                           domain="local"))
        body.values.append(output)
    outputs = [name for name in body.values if name != "x"][-2:]
    graph = helper.make_graph(body.nodes, "g", [common.port("x", shape)], [common.port(name, shape) for name in outputs],
                              initializers)
    model = helper.make_model(graph, opset_imports=imports(), ir_version=10, functions=protos)
    return model, {"x": common.numbers(rng, sizes["b"], sizes["s"], 8)}, common.dims_of(rng, **sizes)


def expected(model, feeds):
    """Returns the outputs of the model by definition, because ONNX Runtime ignores overloads."""
    return function_calls.Evaluator(model).evaluate(feeds)

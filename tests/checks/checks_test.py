"""Tests that the checks in this folder find mistakes. usage: checks_test.py"""
import os
import tempfile
import unittest

import class_sizes
import dependencies
import doc_comments
import docs
import file_sizes
import links
import local_types
import retired_names


def tree(root, files):
    """Writes files below `root`. `files` maps paths to texts."""
    for path, text in files.items():
        os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)


class Checks(unittest.TestCase):
    def test_dependencies(self):
        with tempfile.TemporaryDirectory() as root:
            tree(root, {
                "runtime/include/heddle/a.h": "#include <stdint.h>\n",
                "runtime/a.cpp": '#include "heddle/a.h"\n#include "Heddle.h"\n#include <llvm/ADT/APInt.h>\n',
                "runtime/CMakeLists.txt": "target_link_libraries(x MLIR)\n",
                "dialect/Heddle.h": '#include "mlir/IR/Dialect.h"\n#include "heddle/b.h"\n',
                "compiler/include/heddle/b.h": '#include "Heddle.h"\n#include "heddle/a.h"\n#include "../../../runtime/p.h"\n',
                "runtime/p.h": "",
                "examples/1/main.cpp": '#include "heddle/b.h"\n#include "Heddle.h"\n#include "mlir/IR/Dialect.h"\n',
            })
            problems, _ = dependencies.check(root)
            self.assertEqual(problems, [
                "runtime/a.cpp:2: runtime may not depend on dialect/Heddle.h",
                "runtime/a.cpp:3: runtime may not depend on llvm/ADT/APInt.h",
                "runtime/CMakeLists.txt:1: runtime may not link target_link_libraries(x MLIR)",
                "dialect/Heddle.h:2: dialect may not depend on compiler/include/heddle/b.h",
                "compiler/include/heddle/b.h:3: compiler may not depend on runtime/p.h",
                "examples/1/main.cpp:2: examples may not depend on dialect/Heddle.h",
                "examples/1/main.cpp:3: examples may not depend on mlir/IR/Dialect.h",
            ])

    def test_order_of_folders(self):
        """A folder of compiler/ may include only folders that precede it in dependencies.ROOMS."""
        with tempfile.TemporaryDirectory() as root:
            tree(root, {
                "compiler/include/heddle/Link.h": "",
                "compiler/include/heddle/New.h": "",
                "compiler/compile/Link.cpp": '#include "heddle/Link.h"\n',
                "compiler/tools/heddle/Link.cpp": '#include "heddle/Link.h"\n#include "compile/Private.h"\n',
                "compiler/compile/Private.h": "",
                "compiler/targets/cpu/A.h": '#include "targets/B.h"\n',
                "compiler/targets/B.h": '#include "targets/cpu/A.h"\n',
                "compiler/lowering/C.cpp": '#include "heddle/Link.h"\n#include "compile/Private.h"\n#include "heddle/New.h"\n',
                "compiler/new/D.cpp": '#include "compile/Private.h"\n',
                "compiler/Registry.cpp": '#include "compile/Private.h"\n',
            })
            problems, _ = dependencies.check(root)
            self.assertEqual(problems, [
                "circle of folders: compiler/targets/B.h includes compiler/targets/cpu/A.h; "
                "compiler/targets/cpu/A.h includes compiler/targets/B.h",
                "compiler/lowering/C.cpp:1: lowering may not depend on compile (compiler/include/heddle/Link.h)",
                "compiler/lowering/C.cpp:2: lowering may not depend on compile (compiler/compile/Private.h)",
                "compiler/lowering/C.cpp:3: compiler/include/heddle/New.h is not in a known folder: add it to ROOMS or "
                "HEADER_ROOMS",
                "compiler/new/D.cpp:1: compiler/new/D.cpp is not in a known folder: add it to ROOMS or HEADER_ROOMS",
                "compiler/targets/cpu/A.h:1: targets/cpu may not depend on targets (compiler/targets/B.h)",
            ])

    def test_circles(self):
        """Folders of compiler/ must not include each other in a circle, except for the given exceptions."""
        with tempfile.TemporaryDirectory() as root:
            tree(root, {
                "compiler/include/heddle/Import.h": "",
                # Import.h is an interface that the folder import implements.
                "compiler/import/Import.cpp": '#include "heddle/Import.h"\n#include "onnx/Onnx.h"\n',
                "compiler/import/onnx/Onnx.h": '#include "heddle/Import.h"\n#include "sizes/Dim.h"\n',
                "compiler/import/sizes/Dim.h": '#include "onnx/ops/Gather.h"\n',
                "compiler/import/onnx/ops/Gather.h": '#include "Onnx.h"\n',
                "compiler/lowering/A.cpp": '#include "attention/B.h"\n',
                "compiler/lowering/A.h": "",
                "compiler/lowering/attention/B.h": '#include "A.h"\n',
            })
            self.assertEqual(dependencies.circles(root, {}), [
                "circle of folders: compiler/import/onnx/Onnx.h includes compiler/import/sizes/Dim.h; "
                "compiler/import/sizes/Dim.h includes compiler/import/onnx/ops/Gather.h; "
                "compiler/import/onnx/ops/Gather.h includes compiler/import/onnx/Onnx.h",
                "circle of folders: compiler/lowering/A.cpp includes compiler/lowering/attention/B.h; "
                "compiler/lowering/attention/B.h includes compiler/lowering/A.h",
            ])
            known = {("compiler/import/sizes", "compiler/import/onnx/ops"): "why",
                     ("compiler/lowering", "compiler/lowering/attention"): "why"}
            self.assertEqual(dependencies.circles(root, known), [])
            known["compiler/import", "compiler/import/onnx"] = "no circle"
            self.assertEqual(dependencies.circles(root, known), [
                "compiler/import -> compiler/import/onnx: needs no exception in dependencies.py any more"])

    def test_links(self):
        with tempfile.TemporaryDirectory() as root:
            tree(root, {
                "dialect/CMakeLists.txt": "heddle_library(Dialect\n  a.cpp) # LINK Bench\n",
                "compiler/CMakeLists.txt": "heddle_library(Import b.cpp EXCEPTIONS LINK Dialect protobuf::libprotobuf)\n"
                                           "heddle_library(Bench c.cpp LINK Import)\n",
                "runtime/devices/devices.def": "",
            })
            declared = links.declared(root)
        tables = {"Dialect": ({"op"}, set()), "Import": ({"load"}, {"op", "time"}), "Bench": ({"time"}, {"op", "load"})}
        self.assertEqual(links.check(declared, tables), ["Import uses Bench without linking it, for instance time"])

    def test_links_of_documents(self):
        with tempfile.TemporaryDirectory() as root:
            tree(root, {"a/b.md": "## One `word`, [two](../c.md)\n[1](../c.md) [2](#one-word-two) [3](../c.md#three-and-four)"
                                  " [4](d.md) [5](#none) [6](../c.md#none) [7](https://example.org) `x[0](y)`\n",
                        "c.md": "# Three and four\n", "data/e.md": "[1](none.md)"})
            self.assertEqual(list(docs.broken_links(root, dict(docs.documents(root)))),
                             ["a/b.md: d.md: there is no such file", "a/b.md: #none: there is no such heading",
                              "a/b.md: ../c.md#none: there is no such heading"])

    def test_commands_of_documents(self):
        text = ("    $ heddle run MODEL \\\n      --fast --why\n    heddle run -o 'a --b c'  # --none\n    $ heddle fly\n"
                "heddle run --prose\n")
        with tempfile.TemporaryDirectory() as root:
            tree(root, {"heddle": "#!/bin/sh\n[ $1 = run ] && printf -- '-o,--output\\n--fast x\\n\\nExample:\\n --why\\n'\n"})
            os.chmod(os.path.join(root, "heddle"), 0o755)
            self.assertEqual(list(docs.unknown_options(os.path.join(root, "heddle"), {"a.md": text})),
                             ["a.md: 'heddle run' has no option --why", "a.md: there is no command 'heddle fly'"])

    def test_the_readme_has_the_program_of_the_example(self):
        with tempfile.TemporaryDirectory() as root:
            tree(root, {docs.EXAMPLE: "int main;\n"})
            self.assertEqual(list(docs.wrong_readme(root, "x\n```c\nint main;\n```\n")), [])
            self.assertEqual(list(docs.wrong_readme(root, "x\n" * 200 + "```c\nint\n```\n")),
                             ["README.md: 203 lines, at most 180", f"README.md: its program is not {docs.EXAMPLE}"])

    def test_file_sizes(self):
        with tempfile.TemporaryDirectory() as root:
            tree(root, {"dialect/small.cpp": "\n" * 350, "compiler/giant.cpp": "\n" * 351, "tests/data/text.py": "\n" * 999,
                        "compiler/list.td": "\n" * 400, "compiler/other.td": "\n" * 401, "compiler/shrunk.td": "\n"})
            why = (400, "a list")
            exceptions = {f"compiler/{name}.td": why for name in ("list", "other", "shrunk", "gone")}
            self.assertEqual([problem.split(":")[0] for problem in file_sizes.check(dict(file_sizes.lengths(root)), exceptions)],
                             ["compiler/giant.cpp", "compiler/other.td", "compiler/shrunk.td", "compiler/gone.td"])

    def test_members(self):
        """class_sizes.py counts functions and variables, but not types, friends or assertions."""
        text = """
            // class Comment { int a; };
            template <class T, class U> class Box : public Base<T> {
            public:
              Box() = default;
              explicit Box(int a, std::map<int, T> b = {}) : a(a), b{b} { if (a) { a = 2; } }
              ~Box();
              bool operator==(const Box &other) const { return a == other.a; }
              std::pair<int, T> get(int x, int y) const;
              friend class Friend;
              using Value = int;
              static_assert(sizeof(int) == 4);
              struct Inner { int one; std::function<void(int, int)> two, three = nullptr; };
              enum class Kind { A, B };
            private:
              int a = 1, c{2};
              std::map<int, T> b;
              static constexpr char text[] = "};";
              Inner *first, *last;
            } box;
            struct Declared;
            enum class Not { A };
            struct Empty {};
        """
        self.assertEqual(list(class_sizes.classes(text)), [("Box", 5 + 6), ("Inner", 3), ("Empty", 0)])

    def test_class_sizes(self):
        functions = "".join(f"  void f{i}(int a, int b);\n" for i in range(41))
        with tempfile.TemporaryDirectory() as root:
            tree(root, {
                "compiler/Wide.h": f"class Wide {{\n{functions}}};\n",
                "compiler/Listed.h": f"class Listed {{\n{functions}}};\n",
                "compiler/Spread.h": "struct Spread { void f(); };\n",
                "compiler/Small.h": "struct Small { int a; };\n",
                **{f"compiler/{i}.cpp": f"int heddle::Spread::f{i}() {{ return 1; }}\nvoid Small::g() {{\n  Spread::f0();\n}}\n"
                   for i in range(6)},
                "compiler/7.cpp": "static int x = Spread::f(1);\n",
            })
            why = (41, 5, "a list")
            exceptions = {"Listed": why, "Shrunk": why, "Small": (40, 6, "")}
            problems = list(class_sizes.check(*class_sizes.measure(root), exceptions))
            self.assertEqual([problem.split(", at")[0] for problem in problems],
                             ["compiler/Spread.h: functions of Spread lie in 6 files", "compiler/Wide.h: Wide has 41 members",
                              "Shrunk: needs no exception in class_sizes.py any more"])

    def test_doc_comments(self):
        with tempfile.TemporaryDirectory() as root:
            tree(root, {
                "compiler/a.h": "//===- a.h - what a is ---===//\n/// Of a row the sum.\nint f();\n/// Offsets of rows.\n"
                                "/// The sum of all rows.\n/// That is all.\nint g();\n",
                "runtime/b.h": "/** What b is. */\n",
            })
            problems, files = doc_comments.check(root)
            self.assertEqual(files, 2)
            self.assertEqual([problem.split(": ")[0] for problem in problems],
                             ["compiler/a.h:1", "compiler/a.h:2", "runtime/b.h:1"])

    def test_local_types(self):
        local = "namespace {\nstruct Odd {\n};\nclass Only;\nstruct Own {};\n}\n"
        with tempfile.TemporaryDirectory() as root:
            tree(root, {
                "compiler/math/Odd.h": "struct Odd {};\nstruct Even;\n",
                "compiler/math/a.cpp": local,
                "compiler/other/a.cpp": local,
            })
            problems, types = local_types.check(root)
            self.assertEqual(types, 4)
            self.assertEqual(problems, ["compiler/math/a.cpp: Odd is also a type of Odd.h"])

    def test_retired_names(self):
        with tempfile.TemporaryDirectory() as root:
            tree(root, {
                "compiler/A.cpp": "/// Returns whether a tile is turned; `standsFor` too.\nint x = mostRows; // standsFor in prose\n"
                                  "int mostCapable, almostRows, uint_least16_t;\nauto s = \"heddle.ahead\";\n",
                "tests/a.mlir": "// CHECK: heddle.linear exact_columns(%c)\n#heddle.row_rounding<ui8 exact [1]>\n// an exact [1] number\n",
                "tests/checks/C.cpp": "int mostRows;\n",
                "compiler/support/KnobNames.cpp": "abreast\n",
            })
            problems, count = retired_names.check(root)
            self.assertEqual(count, 2)
            self.assertEqual([problem.split(" is a ")[0] for problem in problems], [
                "compiler/A.cpp:1: standsFor", "compiler/A.cpp:2: mostRows", "compiler/A.cpp:4: heddle.ahead",
                "tests/a.mlir:1: exact_columns", "tests/a.mlir:2: i8 exact [1]>",
            ])


if __name__ == "__main__":
    unittest.main()

"""compile_instrumented.py KIND HEDDLE LLVM_TOOLS NAME ARGUMENTS...: runs `heddle compile ARGUMENTS` and writes the code
to NAME.o and the weights to NAME.weights. A sanitizer checks every memory access of the code.

KIND is thread or address. LLVM_TOOLS is the folder with opt and llc, which instrument the LLVM IR that `heddle compile`
writes. ThreadSanitizer's pass only handles accesses of single elements. For KIND thread, vector and masked loads and
stores are therefore split into accesses of elements first, and the code is for the baseline of x86-64.
"""
import re
import subprocess
import sys

kind, heddle, tools, name, *arguments = sys.argv[1:]
outputs = ["-o", f"{name}.ll", "--weights", f"{name}.weights"]
subprocess.run([heddle, "compile", *arguments, "--name", name, *outputs], check=True)
with open(f"{name}.ll") as file:
    text = file.read()
passes = "forceattrs,asan"
if kind == "thread":
    text = re.sub(r'"(target-features|prefer-vector-width)"="[^"]*"', "", text)
    passes = "forceattrs,function(scalarize-masked-mem-intrin,scalarizer<load-store>),tsan-module,function(tsan)"
changed = subprocess.run([f"{tools}/opt", f"-passes={passes}", f"-force-attribute=sanitize_{kind}", "-S"], input=text,
                         stdout=subprocess.PIPE, text=True, check=True)
left = kind == "thread" and re.findall(r"= load <.*|^ *store <.*|call .*@llvm\.masked\..*", changed.stdout, flags=re.M)
if left or {"thread": "__tsan_write4", "address": "__asan_report_store4"}[kind] not in changed.stdout:
    sys.exit(f"{name}: accesses without instrumentation: {left[:3]}" if left else f"{name}: the code is not instrumented")
subprocess.run([f"{tools}/llc", "-O0", "--relocation-model=pic", "-filetype=obj", "-o", f"{name}.o"], input=changed.stdout,
               text=True, check=True)

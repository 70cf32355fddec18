"""compile_instrumented.py HEDDLE LLVM_TOOLS NAME ARGUMENTS...: compiles NAME.o, every access of which ThreadSanitizer sees.

The IR is what objects are made from, vectors and masks already in it; the pass sees accesses of single elements alone, so
that loads and stores of vectors and those under masks are taken apart first, and code is made for any x86-64.
"""
import re
import subprocess
import sys

heddle, tools, name, *arguments = sys.argv[1:]
subprocess.run([heddle, "compile", *arguments, "--name", name, "-o", f"{name}.ll"], check=True)
with open(f"{name}.ll") as file:
    text = file.read()
text = re.sub(r'"(target-features|prefer-vector-width)"="[^"]*"', "", text)
text = re.sub(r"^(attributes #\d+ = \{)", r"\1 sanitize_thread", text, flags=re.M)
passes = "function(scalarize-masked-mem-intrin,scalarizer<load-store>),tsan-module,function(tsan)"
changed = subprocess.run([f"{tools}/opt", f"-passes={passes}", "-S"], input=text, stdout=subprocess.PIPE, text=True, check=True)
left = re.findall(r"= load <.*|^ *store <.*|call .*@llvm\.masked\..*", changed.stdout, flags=re.M)
if left or "__tsan_write4" not in changed.stdout:
    sys.exit(f"{name}: not instrumented: {left[:3]}")
subprocess.run([f"{tools}/llc", "-O0", "--relocation-model=pic", "-filetype=obj", "-o", f"{name}.o"], input=changed.stdout,
               text=True, check=True)

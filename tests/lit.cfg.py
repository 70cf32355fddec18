# Configuration of the lit tests. RUN lines use heddle-opt, heddle, FileCheck, not, split-file, llvm-nm and llvm-readelf
# by name. %source is the root of the repository, %build is the build folder, %data is the folder tests/data, and %llvm
# is the folder of LLVM's tools. %python, %cc and %cxx are the Python, the C compiler and the C++ compiler of the build.
# %{avx512} and %{amx} are pass options with the target facts of a CPU with AVX-512, and of one that also has AMX.
import os
import re
import shutil
import subprocess

import lit.formats

config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "data", "lit.cfg.py", "CMakeLists.txt"]

tools = {
    "heddle-opt": os.path.join(config.heddle_build, "bin", "heddle-opt"),
    "heddle": os.path.join(config.heddle_build, "bin", "heddle"),
}
for tool in ("FileCheck", "not", "split-file", "llvm-nm", "llvm-readelf"):
    tools[tool] = os.path.join(config.llvm_tools, tool)
for name, path in tools.items():
    # The name is replaced only as a word of its own: not as part of a path, an option or another name.
    config.substitutions.append((r"(?<![\w./=-])%s(?![\w./=-])" % name, path))
config.substitutions += [
    ("%source", config.heddle_source),
    ("%build", config.heddle_build),
    # Without one of the next two options, passes that run strategies assume vectors of 256 bits, as in AVX2.
    ("%{avx512}", "limits=vector_bits=512,vector_registers=32"),
    ("%{amx}", "features=amx-bf16,amx-int8 limits=vector_bits=512,vector_registers=32"),
    ("%data", os.path.join(config.heddle_source, "tests", "data")),
    ("%python", config.python),
    ("%cxx", config.cxx),
    ("%cc", config.cc),
    ("%llvm", config.llvm_tools),
]
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
config.environment["MESA_SHADER_CACHE_DIR"] = os.path.join(config.heddle_build, "shader-cache")
for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH", "HEDDLE_TESTS_NEED_TOOLS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
# Features, which tests name in REQUIRES lines. If HEDDLE_TESTS_NEED_TOOLS is set, .ci/setup has installed all tools:
# then every feature that needs only these tools counts as available, so that a test whose tool is missing fails and is
# not skipped.
installed = bool(os.environ.get("HEDDLE_TESTS_NEED_TOOLS"))
if config.sanitize == "OFF":
    if installed or shutil.which("qemu-x86_64"):
        config.available_features.add("qemu-x86_64")
    devices = subprocess.run([tools["heddle"], "devices"], stdout=subprocess.PIPE, text=True).stdout
    if installed or shutil.which("valgrind"):
        config.available_features.add("valgrind")
    # Whether programs may use the matrix instructions of this CPU.
    if re.search(r"\bamx-int8\b", devices):
        config.available_features.add("amx")
    # Each kind of device, such as vulkan, whose device 0 can be used is a feature. `heddle devices` prints the devices.
    config.available_features.update(re.findall(r"^(\w+):0: (?!cannot be used)", devices, re.M))
    if installed:
        config.available_features.add("vulkan")
if installed or (shutil.which("spirv-val") and shutil.which("spirv-dis")):
    config.available_features.add("spirv-tools")
for name, letter in ("thread", "t"), ("address", "a"):
    command = [config.cxx, f"-print-file-name=libclang_rt.{letter}san-x86_64.a"]
    if installed or os.path.exists(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()):
        config.available_features.add(f"{name}-sanitizer")
if config.sanitize == "ON":
    config.available_features.add("sanitize")
    # Mesa's Vulkan driver leaks memory for each VkInstance, so the lit tests run without a Vulkan driver. (The tests of
    # the runtime distinguish these leaks from leaks of Heddle.)
    config.environment.update({"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"})
    config.environment.pop("HEDDLE_TESTS_NEED_TOOLS", None)

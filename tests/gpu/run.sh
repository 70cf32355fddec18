#!/bin/sh
# run.sh [RESULTS]: tests and measures compiled libraries on a machine with a GPU. make.sh copies this script and all
# files that it needs into a folder, the kit. README.md describes the steps. Each step ends after at most ten minutes
# and writes a table into the folder RESULTS. If a step fails, its table contains FAIL, and the next step begins. The
# exit status is 1 if the table of the step `probes` (small kernels that test single instructions) or of the step
# `correct` (outputs of the libraries) contains FAIL.
# Variables, with defaults in parentheses: STEPS, the steps to run (all); CUDA and VULKAN, the names of devices (cuda,
# vulkan); SECONDS_EACH, the time for which the calls of each library are timed (0.5); ROOFS, the last two arguments of
# `gpu-kit roofs`: the number of workgroups that compute multiply-adds, and the maximum size in MiB of the buffers that
# are copied and read (2112 1024).
cd "$(dirname "$0")" || exit 1
results=${1:-results} cuda=${CUDA:-cuda} vulkan=${VULKAN:-vulkan} each=${SECONDS_EACH:-0.5} roofs=${ROOFS:-}
steps=${STEPS:-machine roofs probes correct kinds sweep profile peers again}
export CUDA_CACHE_DISABLE=1 # the driver's cache of compiled code would hide the time of compiling
tab=$(printf '\t')

# device KIND: prints the name of the device of this kind (cuda or vulkan).
device() { if [ "$1" = cuda ]; then echo "$cuda"; else echo "$vulkan"; fi; }
# cases FILTER KIND COMMAND: calls COMMAND for each case whose line in cases.tsv matches the pattern FILTER. The
# arguments of COMMAND are KIND, and the library, name, weights and bounds of the case. A machine need not have Vulkan,
# but without the CUDA device the table contains FAIL.
cases() {
  ls libraries/*."$2".so >/dev/null 2>&1 || return 0
  if ! ./gpu-kit open "$(device "$2")"; then
    [ "$2" = vulkan ] || echo FAIL
    return 0
  fi
  grep -E "$1" cases.tsv | while IFS="$tab" read -r name comparison weights bounds; do
    [ ! -e "libraries/$name.$2.so" ] || $3 "$2" "libraries/$name.$2.so" "$name" "$weights" $bounds
  done
}
check() {
  kind=$1 library=$2 name=$3 weights=$4
  shift 4
  ./gpu-kit check "$(device "$kind")" "$library" "$weights" "data/$name.inputs.safetensors" "data/$name.expected.safetensors" "$@" ||
    echo "$library${tab}FAIL"
}
sample() { ./gpu-kit sample "$(device "$1")" "$2" || echo "$2${tab}FAIL"; }
measure() { ./gpu-kit time "$(device "$1")" "$2" "$4" "$each" || echo "$2${tab}FAIL"; }

machine() {
  nvidia-smi 2>/dev/null || echo 'no nvidia-smi'
  uname -srm
  for tool in nvcc ncu python3 vulkaninfo; do command -v "$tool" || echo "no $tool"; done
  python3 -c 'import torch; print("torch", torch.__version__, torch.version.cuda)' 2>/dev/null || echo 'no torch'
}
roofs() { ./gpu-kit roofs "$cuda" roofs.ptx $roofs || echo FAIL; }
probes() { ./gpu-kit probes "$cuda" probes.ptx || echo FAIL; }
correct() {
  for kind in cuda vulkan; do
    cases "${tab}whole${tab}" $kind check
    cases "${tab}sampled${tab}" $kind sample
  done
}
kinds() { for kind in cuda vulkan cuda; do cases "${tab}(whole|sampled)${tab}" $kind measure; done; }
sweep() { cases "${tab}timed${tab}" cuda measure; }
profile() {
  while read -r name; do
    echo "== $name"
    [ ! -e "data/$name.counts.md" ] || cat "data/$name.counts.md"
    command -v ncu >/dev/null || { echo 'no ncu'; continue; }
    ncu --csv --graph-profiling node --launch-skip 2 --launch-count 4 \
      --section SpeedOfLight --section MemoryWorkloadAnalysis --section WarpStateStats --section Occupancy \
      ./gpu-kit sample "$cuda" "libraries/$name.cuda.so" </dev/null
  done <profiled.txt
}
peers() { python3 peers.py 2>&1 || echo 'no peers'; }
again() { cases "^(linear|attention|softmax)-(2048|one|large)[.$tab]" cuda measure; }

# The loop below calls this script with --step, so that `timeout` can end a step.
if [ "${1:-}" = --step ]; then
  "$2"
  exit
fi
mkdir -p "$results"
number=0
for step in $steps; do
  number=$((number + 1))
  table=$results/$number-$step.tsv
  echo "== $step, at $(date +%T), into $table"
  timeout 590 sh ./run.sh --step "$step" >"$table" 2>&1 || echo "FAIL: the step ended with status $?" >>"$table"
  cat "$table"
done
! cat "$results"/*-correct.tsv "$results"/*-probes.tsv 2>/dev/null | grep -q FAIL

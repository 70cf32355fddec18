"""fuzz.py BUILD READER (--runs N | --seconds N): runs the fuzz target of a reader, and stores inputs that make it fail.

BUILD is a build folder, and READER is a name such as `onnx`, for which there is a READER_fuzzer. The initial inputs are
made from files of other tests (seeds.py) or read from corpus/READER, which contains inputs that failed once. libFuzzer
then mutates these inputs. With --runs, the target runs on N inputs, which are the same in every run. With --seconds, it
runs for N seconds, and also starts from the inputs that earlier runs found.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

import seeds

HERE = pathlib.Path(__file__).parent


def positive(text):
    """Returns the positive integer that `text` contains. To libFuzzer, -runs=-1 and -max_total_time=0 mean no limit."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, found {text}")
    return number


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build", type=pathlib.Path, help="build folder")
parser.add_argument("reader", help="name of the reader, such as onnx")
amount = parser.add_mutually_exclusive_group(required=True)
amount.add_argument("--runs", type=positive, help="number of inputs")
amount.add_argument("--seconds", type=positive, help="time in seconds")
arguments = parser.parse_args()

work = arguments.build.resolve() / ("fuzz" if arguments.seconds else "fuzz-tests") / arguments.reader
found = work / "found"
if arguments.runs:
    shutil.rmtree(work, ignore_errors=True)
found.mkdir(parents=True, exist_ok=True)
seeds.write(arguments.reader, work / "seeds", work / "words")
for old in work.glob("fail-*"):
    old.unlink()

fuzzer = [arguments.build / "tests" / "bin" / f"{arguments.reader}_fuzzer", "-timeout=20", "-rss_limit_mb=4096",
          "-malloc_limit_mb=2048", f"-artifact_prefix={work}/fail-", f"-dict={work}/words"]
limit = [f"-runs={arguments.runs}", "-seed=1", "-keep_seed=1"] if arguments.runs else [
    f"-max_total_time={arguments.seconds}"]
corpora = [folder for folder in (found, HERE / "corpus" / arguments.reader, work / "seeds") if folder.exists()]
done = subprocess.run(fuzzer + limit + corpora, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                      text=True, errors="replace")
lines = done.stdout.splitlines()
if done.returncode == 0:
    print(f"{arguments.reader}: " + " ".join(line for line in lines if "DONE" in line))
    sys.exit()
print("\n".join(lines[-80:]))
for failed in work.glob("fail-*"):
    smaller = failed.with_name("small-" + failed.name)
    if arguments.seconds:  # with --runs, do not spend time on reducing the failing input
        subprocess.run(fuzzer + ["-minimize_crash=1", "-max_total_time=60",
                                 f"-exact_artifact_path={smaller}", failed],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(f"{arguments.reader}: fails with {smaller if smaller.exists() else failed}")
sys.exit(1)

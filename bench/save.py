"""Results on disk: bench/results/DATE.json and .md, and the table in the README."""
import datetime
import json
import re

import environment
import report

RESULTS, README = environment.BENCH / "results", environment.BENCH.parent / "README.md"
TABLE = re.compile(r"(<!-- bench/compare.py --save writes this table -->\n).*?(<!-- end of the table -->)", re.S)


def describe(machine, versions, heddle, mcpu):
    caches = ", ".join(f"{level} {size >> 10} KiB" for level, size in machine["caches"].items())
    return (f"{machine['cpu']} (family {machine['family']} model {machine['model']}, {' '.join(machine['features'])}; "
            f"{caches}), {machine['cpus']} CPUs, {machine['system']}. "
            + ", ".join(f"{name} {version}" for name, version in versions.items())
            + f". Heddle {heddle}" + (f", compiled for {mcpu}" if mcpu else "") + ".\n")


def roofs(records):
    lines = {record["threads"]: record["roofs"] for record in records}
    return "".join(f"Measured on {threads} thread{'s' * (threads > 1)}: {roof['flops'] / 1e9:.0f} GFLOP/s, "
                   f"copy {roof['copy'] / 1e9:.1f} GB/s read and written.\n" for threads, roof in lines.items())


def text(result):
    """All there is to say about a result, as markdown."""
    records = result["records"]
    head = describe(result["machine"], result["versions"], result["heddle"], result["mcpu"])
    parts = [head, result.get("note"), roofs(records), report.verdict(records), report.tables(records),
             report.remarks(records), report.compile_cost(records)]
    return "\n".join(part for part in parts if part)


def save(result, name=""):
    RESULTS.mkdir(exist_ok=True)
    stem = "-".join(part for part in (datetime.date.today().isoformat(), result["mcpu"], name) if part)
    (RESULTS / f"{stem}.md").write_text(text(result))
    (RESULTS / f"{stem}.json").write_text(json.dumps(result, indent=1) + "\n")
    if not (result["mcpu"] or result["rows"] or name):
        table = report.short_table(result["records"])
        README.write_text(TABLE.sub(lambda match: match[1] + table + match[2], README.read_text()))

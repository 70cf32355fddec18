"""Writes results to disk: bench/results/DATE.json and .md, the table of all rows in bench/README.md and the table of a
few chosen rows in the main README."""
import datetime
import json
import re

import environment
import report

RESULTS, README, ALL = (environment.BENCH / "results", environment.BENCH.parent / "README.md",
                        environment.BENCH / "README.md")
# The rows in README.md: an encoder in four kinds of calls, attention, linear layers, a norm and a softmax.
CHOSEN = ["MiniLM b1-s16, cold", "MiniLM b1-s128, cold", "MiniLM b1-s512", "MiniLM b8-s128, a quarter padding, skipped",
          "attention S=128 D=64", "attention S=2048 D=64, causal", "linear 512x3072x768", "linear 512x768x3072 + GELU",
          "layer norm 128x384", "softmax 4096x4096"]
TABLE = re.compile(r"(<!-- bench/compare.py --save writes this table -->\n).*?(<!-- end of the table -->)", re.S)


def describe(machine, versions, heddle, mcpu):
    """Returns a line about the machine and the versions. heddle: Heddle's commit; mcpu: the argument of --mcpu or
    None."""
    caches = ", ".join(f"{level} {size >> 10} KiB" for level, size in machine["caches"].items())
    return (f"{machine['cpu']} (family {machine['family']} model {machine['model']}, {' '.join(machine['features'])}; "
            f"{caches}), {machine['cpus']} CPUs, {machine['system']}. "
            + ", ".join(f"{name} {version}" for name, version in versions.items())
            + f". Heddle {heddle}" + (f", compiled for {mcpu}" if mcpu else "") + ".\n")


def roofs(records):
    """Returns a line with the measured speeds of arithmetic and memory for each number of threads."""
    lines = {record["threads"]: record["roofs"] for record in records}
    return "".join(f"Measured on {threads} thread{'s' * (threads > 1)}: {roof['flops'] / 1e9:.0f} GFLOP/s, "
                   + "".join(f"{roof[kind] / 1e9:.0f} G{kind} operations/s, " for kind in ("int8", "bf16") if kind in roof) +
                   f"copy {roof['copy'] / 1e9:.1f} GB/s read and written"
                   + (f", {roof['read'] / 1e9:.1f} GB/s read" if "read" in roof else "") + ".\n" for threads, roof in lines.items())


def text(result):
    """Returns the complete report of `result`, the dictionary that compare.py makes, as Markdown."""
    records = result["records"]
    head = describe(result["machine"], result["versions"], result["heddle"], result["mcpu"])
    parts = [head, result.get("note"), roofs(records), report.verdict(records), report.tables(records),
             report.remarks(records), report.compile_cost(records)]
    return "\n".join(part for part in parts if part)


def chosen_patterns():
    """Returns the README's rows as arguments of --rows."""
    return [f"^{re.escape(title)}$" for title in CHOSEN]


def machine_line(machine, heddle):
    """Describes the machine on which a table's times were measured."""
    return (f"{machine['cpu']} (family {machine['family']} model {machine['model']}, {' '.join(machine['features'])}), "
            f"{machine['cpus']} CPUs, {machine['system']}; Heddle {heddle}:\n\n")


def write_table(path, result, records):
    """Replaces the table in the file by a table of the records."""
    table = machine_line(result["machine"], result["heddle"]) + report.short_table(records)
    path.write_text(TABLE.sub(lambda match: match[1] + table + match[2], path.read_text()))


def write_chosen(result):
    """Writes the README's rows in their order. If a row is missing, doubtful or without a ratio, leaves the README
    unchanged and returns the reasons."""
    chosen = [record for title in CHOSEN for record in result["records"] if record["row"] == title]
    found = {record["row"] for record in chosen}
    reasons = [f"{title} was not measured" for title in CHOSEN if title not in found]
    for record in chosen:
        doubts = report.doubts(record) if report.fastest(record) else ["there is no ratio"]
        reasons += [f"{record['row']}, {record['threads']} thread{'s' * (record['threads'] > 1)}: {doubt}"
                    for doubt in doubts]
    if not reasons:
        write_table(README, result, chosen)
    return reasons


def write(stem, result, described):
    """Writes the report `described` to bench/results/STEM.md and the result to bench/results/STEM.json."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{stem}.md").write_text(described)
    (RESULTS / f"{stem}.json").write_text(json.dumps(result, indent=1) + "\n")


def save(result, name=""):
    """Saves a result. Returns a list of the reasons why the main README was left unchanged; it is empty if the README
    was written or was not to be written."""
    only_chosen = result["rows"] == chosen_patterns()
    stem = "-".join(part for part in (datetime.date.today().isoformat(), result["mcpu"], "readme" * only_chosen, name)
                    if part)
    write(stem, result, text(result))
    # A run changes a README only if it has neither --mcpu nor a name, and measures all rows or the chosen rows.
    if result["mcpu"] or name or result["rows"] and not only_chosen:
        return []
    if not only_chosen:
        write_table(ALL, result, result["records"])
    return write_chosen(result)

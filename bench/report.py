"""Formats records of worker.py as Markdown: a table for each group of rows with the same peers (the programs that are
measured alongside Heddle). A record contains the measurements of one row with one number of threads: the results of
Heddle and of each peer, by name."""
import itertools

import cosines
import ratios

NAMES = {"heddle": "Heddle", "onnx_runtime": "ONNX Runtime", "openvino_cpu": "OpenVINO", "iree_cpu": "IREE",
         "inductor": "torch inductor", "torch_eager": "torch", "torch_packed": "torch prepacked",
         "onednn_packed": "oneDNN packed", "heddle_alone": "Heddle on one thread",
         "torch_decoder": "transformers",
         "onnx_runtime_int8": "ONNX Runtime int8", "openvino_bf16": "OpenVINO bf16",
         "heddle:-amx-tile": "Heddle without AMX", "openvino_int8:384:bf16": "OpenVINO int8, groups of 384, the rest bf16",
         **{f"openvino_int8:{group}": f"OpenVINO int8, groups of {group}" for group in (32, 128, 384)}}
TOLERANCE = 0.03  # a target counts as reached if the ratio is below it by at most this fraction of the target
DISTURBED = 0.05  # a ratio is doubtful if other processes use a larger share of the CPUs


def milliseconds(seconds):
    value = seconds * 1e3
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def fastest(record):
    """Returns the name of the peer with the smallest ratio to Heddle, and this ratio; None if no peer has a ratio."""
    peers = [(result["ratio"]["median"], name) for name, result in record["results"].items()
             if not name.startswith("heddle") and "ratio" in result]
    name = min(peers)[1] if peers else None
    return (name, record["results"][name]["ratio"]) if peers else None


def ratio(record):
    """Returns the ratio of the fastest peer's time to Heddle's; None if no peer has a ratio."""
    best = fastest(record)
    return best[1]["median"] if best else None


def speedup(record):
    """Returns Heddle's speedup over one thread, measured in the same process; None if it was not measured."""
    alone = record["results"].get("heddle_alone", {})
    return alone["ratio"]["median"] if "ratio" in alone else None


def doubts(record):
    """Returns the reasons why the ratio is not trusted; empty if it is trusted, or if the record has no ratio."""
    best = fastest(record)
    reasons = ratios.doubts(best[1]) if best else []
    if best and record["foreign"] > DISTURBED:
        reasons.append(f"other processes used {record['foreign']:.0%} of the CPUs")
    return reasons


def roof_share(record):
    """Returns the minimum time that the measured speeds of arithmetic and memory allow, divided by Heddle's time; 0 if
    one of the times is not available."""
    ours, roofs = record["results"]["heddle"].get("median"), record["roofs"]
    arithmetic = roofs.get(record.get("roof", "flops"))  # missing if the processor has no such instruction
    if not arithmetic:
        return 0
    least = max(record["flops"] / arithmetic, record["moved"] / roofs[record.get("memory", "copy")])
    return least / ours if ours else 0


# The functions *_cell return the text of a cell in a table; "-" if there is no value.
def time_cell(record, name):
    result = record["results"].get(name, {}) if record else {}
    # The cosine shows whether a fast peer is accurate.
    cosine = f" ({cosines.text(result['cosine'], digits=4)})" if "cosine" in result else ""
    return milliseconds(result["median"]) + cosine if "median" in result else "-"


def misses(record):
    """Whether there is a ratio and it is below its target by more than TOLERANCE."""
    value = ratio(record)
    return value is not None and value < (record["target"] or 0) * (1 - TOLERANCE)


def ratio_text(value):
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def ratio_cell(record):
    value = ratio(record) if record else None
    if value is None:
        return "-"
    text = ratio_text(value) + ("?" if doubts(record) else "")
    if value < 1:
        return f"**{text}**"
    return f"*{text}*" if misses(record) else text


def quartiles_cell(record):
    best = fastest(record)
    return "-".join(ratio_text(best[1][name]) for name in ("lower", "upper")) if best else "-"


def minima_cell(record):
    best = fastest(record)
    return ratio_text(best[1]["minima"]) if best else "-"


def row_progress(record):
    """Returns a line that shows progress on a terminal."""
    if not fastest(record):
        return f"{record['row']}: -"
    return (f"{record['row']}: {ratio_text(ratio(record))} ({quartiles_cell(record)}, of minima {minima_cell(record)})"
            + "".join(f"; {doubt}" for doubt in doubts(record)))


def row_line(by_threads, peers):
    """Returns one line of a table. Each cell has the values for all numbers of threads; the last cell, Heddle's
    speedup, only those for several threads."""
    some = next(iter(by_threads.values()))
    records = by_threads.values()
    cells = [" / ".join(time_cell(record, name) for record in records) for name in peers + ["heddle"]]
    cells += [" / ".join(map(cell, records)) for cell in (ratio_cell, quartiles_cell, minima_cell)]
    cells.append(" / ".join(f"{record['target']:g}" if record["target"] else "-" for record in records))
    cells.append(" / ".join(f"{roof_share(record):.0%}" if roof_share(record) else "-" for record in records))
    gains = [speedup(record) for record in records if record["threads"] > 1]
    cells.append(" / ".join(f"{gain:.2f}" if gain else "-" for gain in gains))
    return "| " + " | ".join([some["row"]] + cells) + " |"


def by_row(records):
    """Returns, for each row, a dictionary from the numbers of threads, in ascending order, to the row's records."""
    rows = {}
    for record in records:
        rows.setdefault(record["row"], {})[record["threads"]] = record
    return [dict(sorted(row.items())) for row in rows.values()]


def tables(records):
    """Returns Markdown tables of times in milliseconds, one value for each number of threads. "of minima" is the ratio
    of the shortest times, and "own gain" the speedup of Heddle over one thread."""
    lines = []
    for peers, group in itertools.groupby(by_row(records), lambda row: next(iter(row.values()))["peers"]):
        names = [NAMES[name] for name in peers]
        lines += ["| median, ms | " + " | ".join(names) + " | Heddle | ratio | quartiles | of minima | target "
                  "| of the roof | own gain |", "|---" * (len(names) + 8) + "|"]
        lines += [row_line(row, peers) for row in group] + [""]
    return "\n".join(lines)


def short_table(records):
    """Returns a Markdown table of Heddle and the fastest peer only, with columns for each number of threads."""
    threads = sorted({record["threads"] for record in records})
    heads = [f"{t} thread{'s' * (t > 1)}: Heddle, ms | ratio | to" for t in threads]
    lines = ["| work | " + " | ".join(heads) + " |", "|---" * (1 + 3 * len(threads)) + "|"]
    for row in by_row(records):
        cells = []
        for t in threads:
            record = row.get(t)
            best = fastest(record) if record else None
            cells += [time_cell(record, "heddle"), ratio_cell(record), NAMES[best[0]] if best else "-"]
        lines.append("| " + " | ".join([next(iter(row.values()))["row"]] + cells) + " |")
    return "\n".join(lines) + "\n"


def verdict(records):
    """Returns a line with the number of rows, and with the titles of the rows whose ratio is below 1, is below the
    target by more than TOLERANCE, is missing, or is doubtful."""
    def titles(test):
        found = list(dict.fromkeys(record["row"] for record in records if test(record)))
        return f"{len(found)}" + (f" ({'; '.join(found)})" if found else "")
    below = titles(lambda record: ratio(record) is not None and ratio(record) < 1)
    none = titles(lambda record: ratio(record) is None)
    doubtful = titles(doubts)
    return (f"{len(by_row(records))} rows. Below 1: {below}. Below the target: {titles(misses)}. "
            f"Without a ratio: {none}. Not to be trusted: {doubtful}.\n")


def remarks(records):
    """Returns remarks that are not in the tables: programs (Heddle or peers) that failed, doubts, what share of the
    roof Heddle reaches if a target is missed, calls that take longer than their target, and rows in which Heddle is
    slower on several threads than on one by more than TOLERANCE."""
    lines = []
    for record in records:
        where = f"{record['row']}, {record['threads']} thread{'s' * (record['threads'] > 1)}"
        for name, result in record["results"].items():
            if "failure" in result:
                lines.append(f"- {where}: {NAMES[name]}: {result['failure'].splitlines()[0]}")
        if doubts(record):
            lines.append(f"- {where}: {ratio_text(ratio(record))} is not to be trusted: {'; '.join(doubts(record))}")
        if misses(record) and roof_share(record):
            lines.append(f"- {where}: Heddle reaches {roof_share(record):.0%} of the measured roof; at 100% the ratio "
                         f"would be {ratio(record) / roof_share(record):.2f}; target: {record['target']:g}")
        limit, ours = record.get("microseconds"), record["results"]["heddle"].get("median")
        if limit and ours and ours * 1e6 > limit:
            lines.append(f"- {where}: {ours * 1e6:.2f} us a call; target: {limit:g}")
        gain = speedup(record)
        if gain and gain < 1 - TOLERANCE:
            lines.append(f"- {where}: slower than on one thread: the speedup is {gain:.2f}")
    return "\n".join(lines) + "\n" if lines else ""


def compile_cost(records, pattern="MiniLM"):
    """Returns the cost of compiling the models whose title starts with `pattern`, as measured on one thread."""
    lines = []
    for record in records:
        ours = record["results"]["heddle"]
        if record["threads"] == 1 and record["row"].startswith(pattern) and "compile_seconds" in ours:
            over = (ours["library_bytes"] - ours["weights_bytes"]) / 1e6
            lines.append(f"- {record['row']}: compiled in {ours['compile_seconds']:.1f} s with a peak of "
                         f"{ours['compile_bytes'] / 1e6:.0f} MB; the library is {over:.2f} MB larger than its weights")
    return "\n".join(lines) + "\n" if lines else ""

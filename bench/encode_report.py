"""Formats records of encode_worker.py as Markdown: two tables for each number of threads. A record contains the
measurements of all encoders with one number of threads."""
import ratios
import report

NAMES = {"heddle": "heddle.SentenceEncoder", "sentence_transformers_torch": "sentence-transformers, torch",
         "sentence_transformers_onnx": "sentence-transformers, ONNX",
         "sentence_transformers_openvino": "sentence-transformers, OpenVINO",
         "onnx_runtime_by_length": "ONNX Runtime, sorted by length",
         "onnx_runtime_as_chroma": "ONNX Runtime as Chroma calls it"}
# The targets of the two tables for the ratio of the fastest peer's time to Heddle's, and the titles of the tables. In
# one table each encoder has its best batch size, in the other one its default settings.
TARGETS = {"best": 1.2, "defaults": 1.35}
TITLES = {"best": "each at its best batch, sorted by length", "defaults": "each with its default settings"}


def fastest(results):
    """Returns the name of the peer with the smallest ratio of its time to Heddle's."""
    return min((name for name in results if "ratio" in results[name]), key=lambda name: results[name]["ratio"]["median"])


def doubts(record, ratio):
    """Returns the reasons why a ratio is not trusted; empty if it is trusted."""
    reasons = ratios.doubts(ratio)
    if record["foreign"] > report.DISTURBED:
        reasons.append(f"other processes used {record['foreign']:.0%} of the CPUs")
    return reasons


def line(record, name, result):
    """Returns the table's line for the encoder `name`, whose times are in `result`."""
    ratio = result.get("ratio")
    text = "-" if ratio is None else report.ratio_text(ratio["median"]) + ("?" if doubts(record, ratio) else "")
    quartiles = f"{ratio['lower']:.2f}-{ratio['upper']:.2f}" if ratio else "-"
    rate = record["sentences"] / result["median"]
    return (f"| {NAMES[name]} | {result['batch']} | {result['median']:.2f} | {rate:.0f} | {text} | {quartiles} "
            f"| {record['errors'][name]:.1e} |")


def table(record, kind):
    """Returns the lines of the table `kind`, "best" or "defaults", with the fastest encoder first."""
    results = record[kind]
    head = [f"{record['threads']} thread{'s' * (record['threads'] > 1)}, {TITLES[kind]}:", "",
            f"| {record['sentences']} sentences | batch | s | sentences/s | over Heddle's time | quartiles "
            "| difference from torch |",
            "|---" * 7 + "|"]
    return head + [line(record, name, results[name]) for name in sorted(results, key=lambda n: results[n]["median"])]


def verdict(record, kind):
    """Returns a sentence about the fastest peer of the table `kind`."""
    name = fastest(record[kind])
    ratio = record[kind][name]["ratio"]
    reached = "reached" if ratio["median"] >= TARGETS[kind] else "not reached"
    why = "; ".join(doubts(record, ratio))
    return (f"The fastest peer, {NAMES[name]}, takes {ratio['median']:.2f} times as long as Heddle; "
            f"target: {TARGETS[kind]:g}, {reached}" + (f"; not to be trusted: {why}" if why else "") + ".")


def text(records):
    lines = []
    for record in records:
        for kind in TARGETS:
            lines += [*table(record, kind), "", verdict(record, kind), ""]
    return "\n".join(lines)

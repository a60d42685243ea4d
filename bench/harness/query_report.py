"""The tables about queries."""

from .goals import QUERY_FLOOR, QUERY_GOAL, verdict
from .peers import CosmosdbServer, Partita, Postgres
from .ratios import median
from .report import table

CLIENTS = 1


def rates(samples, questions):
    rows = []
    for question in questions:
        for peer in (Partita.name, Postgres.name, CosmosdbServer.name):
            chosen = samples.of(question.name, peer, CLIENTS)
            if chosen:
                rows.append([question.name, peer, f"{median([s.ops_per_s for s in chosen]):,.1f}",
                             f"{median([s.p50_us for s in chosen]) / 1000:.3f}",
                             f"{median([s.p99_us for s in chosen]) / 1000:.3f}",
                             f"{median([s.cpu_us_per_op for s in chosen]):,.0f}", sum(s.errors for s in chosen)])
    return table(["question", "server", "ops/s median", "p50 ms", "p99 ms", "CPU µs/op", "errors"], rows)


def ratios(samples, questions):
    rows = []
    for question in questions:
        cpu = samples.ratio(question.name, Postgres.name, Partita.name, CLIENTS, "cpu_us_per_op")
        if cpu:
            rows.append([question.name, f"{cpu[0]:.2f} ({cpu[1]:.2f}..{cpu[2]:.2f})",
                         verdict(cpu[0], QUERY_FLOOR, QUERY_GOAL)])
    return table(["Partita against PostgreSQL's best index", "CPU per op: theirs ÷ ours",
                  f"floor {QUERY_FLOOR} / goal {QUERY_GOAL}"], rows)


def small_peer(samples_of_small, ours, questions):
    """`samples_of_small`: {question: CPU µs} of a server that could not hold as many documents."""
    rows = []
    for question in questions:
        theirs = samples_of_small.get(question.name)
        chosen = ours.of(question.name, Partita.name, CLIENTS)
        if theirs and chosen:
            our_cpu = median([s.cpu_us_per_op for s in chosen])
            rows.append([question.name, f"{theirs:,.0f}", f"{our_cpu:,.0f}", f"{theirs / our_cpu:,.1f}"])
    return table(["question", "cosmosdb-server CPU µs", "Partita CPU µs", "theirs ÷ ours"], rows)


def growth(by_count, questions):
    """`by_count`: {number of documents: samples}, two of them."""
    (small, few), (large, many) = sorted(by_count.items())
    rows = []
    for question in questions:
        for peer in (Partita.name, Postgres.name):
            before, after = few.of(question.name, peer, CLIENTS), many.of(question.name, peer, CLIENTS)
            if before and after:
                cells = [median([s.cpu_us_per_op for s in chosen]) for chosen in (before, after)]
                rows.append([question.name, peer, f"{cells[0]:,.0f}", f"{cells[1]:,.0f}", f"{cells[1] / cells[0]:.2f}",
                             f"reads all: {large / small:.0f} expected" if question.grows else ""])
    return table(["question", "server", f"CPU µs/op at {small:,}", f"at {large:,}", "ratio", ""], rows)


def beside(rows):
    """`rows`: [(what else runs, [samples of point reads])]."""
    cells = [[what, f"{median([s.ops_per_s for s in samples]):,.0f}", f"{median([s.p50_us for s in samples]) / 1000:.3f}",
              f"{median([s.p99_us for s in samples]) / 1000:.3f}", f"{median([s.cpu_us_per_op for s in samples]):,.0f}"]
             for what, samples in rows]
    return table(["beside", "point reads/s", "p50 ms", "p99 ms", "CPU µs per read, the others' included"], cells)


def stores(rows):
    """`rows`: [(server, documents, processor seconds of the load, [(what, bytes)], RSS MB)]."""
    cells = []
    for peer, count, seconds, sizes, memory in rows:
        disk = "; ".join(f"{what}: {size / 1e6:,.0f}" for what, size in sizes) or "none"
        cells.append([peer, f"{count:,}", f"{seconds * 1e6 / count:.1f}", disk, f"{memory:,.0f}"])
    return table(["server", "documents", "load: CPU µs/document", "disk MB", "RSS MB after the questions"], cells)

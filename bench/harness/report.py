"""The tables, as Markdown that also reads well in a terminal."""

from .goals import (DISK_FLOOR, DISK_GOAL, GOALS, IDLE_FLOOR_MB, IDLE_GOAL_MB, START_FLOOR_MS, START_GOAL_MS, verdict)
from .measure import CLIENTS
from .peers import GROUP, CosmosdbServer, HttpCeiling, Partita, Postgres
from .ratios import bootstrap_interval, calm_rounds, median, ratios_by_round

ORDER = (HttpCeiling.name, Partita.name, Postgres.name, Postgres.gin_name, CosmosdbServer.name)


def table(headings, rows):
    cells = [headings, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


class Samples:
    """The samples of one run, by workload."""

    def __init__(self, samples):
        self._by_key = {}
        for sample in samples:
            self._by_key.setdefault((sample.operation, sample.peer, sample.clients), []).append(sample)
        anchor = {s.round: s.ops_per_s for s in self._by_key.get(("read", HttpCeiling.name, 16), [])}
        self.all_rounds = sorted({sample.round for sample in samples})
        self.rounds = calm_rounds(anchor) if anchor else self.all_rounds

    def of(self, operation, peer, clients):
        return [s for s in self._by_key.get((operation, peer, clients), []) if s.round in self.rounds]

    def peers(self, operation):
        measured = {peer for kind, peer, _ in self._by_key if kind == operation}
        return [peer for peer in ORDER if peer in measured]

    def ratio(self, operation, ours, theirs, clients, field):
        """Median and interval of ours ÷ theirs, or None when one of them is missing or their classes differ."""
        our_samples, their_samples = self.of(operation, ours, clients), self.of(operation, theirs, clients)
        if not our_samples or not their_samples or our_samples[0].durability != their_samples[0].durability:
            return None
        values = ratios_by_round({s.round: getattr(s, field) for s in our_samples},
                                 {s.round: getattr(s, field) for s in their_samples}, self.rounds)
        return (median(values), *bootstrap_interval(values)) if values else None


def rates(samples, operation):
    rows = []
    for clients in CLIENTS:
        for peer in samples.peers(operation):
            chosen = samples.of(operation, peer, clients)
            if not chosen:
                continue
            rows.append([
                clients, peer, f"{median([s.ops_per_s for s in chosen]):,.0f}", f"{max(s.ops_per_s for s in chosen):,.0f}",
                f"{median([s.p50_us for s in chosen]) / 1000:.3f}", f"{median([s.p99_us for s in chosen]) / 1000:.3f}",
                f"{median([s.cpu_us_per_op for s in chosen]):.1f}", chosen[0].durability,
                sum(s.errors for s in chosen), f"{sum(s.wrong for s in chosen)} of {sum(s.checked for s in chosen)}",
            ])
    return table(["clients", "server", "ops/s median", "best", "p50 ms", "p99 ms", "CPU µs/op", "durability", "errors",
                  "bodies wrong"], rows)


def _with_interval(value, low, high):
    return f"{value:.2f} ({low:.2f}..{high:.2f})"


def _ceiling(samples, goal, clients):
    """What the same comparison gives for the ceiling: no server can do better."""
    if goal.theirs == HttpCeiling.name:
        return ""
    cpu = samples.ratio(goal.operation, goal.theirs, HttpCeiling.name, clients, "cpu_us_per_op")
    rate = samples.ratio(goal.operation, HttpCeiling.name, goal.theirs, clients, "ops_per_s")
    return f"{cpu[0]:.1f}, {rate[0]:.1f}" if cpu and rate else ""


def ratios(samples):
    rows = []
    for goal in GOALS:
        for clients in CLIENTS:
            cpu = samples.ratio(goal.operation, goal.theirs, goal.ours, clients, "cpu_us_per_op")
            rate = samples.ratio(goal.operation, goal.ours, goal.theirs, clients, "ops_per_s")
            if cpu is None or rate is None:
                continue
            rows.append([
                f"{goal.operation} vs {goal.theirs}", clients, _with_interval(*cpu),
                f"{goal.cpu_floor:.2g} / {goal.cpu_goal:.2g}", verdict(cpu[0], goal.cpu_floor, goal.cpu_goal),
                _with_interval(*rate), f"{goal.rate_floor:.2g} / {goal.rate_goal:.2g}",
                verdict(rate[0], goal.rate_floor, goal.rate_goal), _ceiling(samples, goal, clients),
            ])
    return table(["Partita", "clients", "CPU per op: theirs ÷ ours", "floor / goal", "verdict", "rate: ours ÷ theirs",
                  "floor / goal", "verdict", "ceiling's CPU, rate"], rows)


def disk(samples, probes):
    """`probes`: {"disk append": {round: result}, "disk overwrite": …}."""
    rows = [["4 KB append + fdatasync", *_probe_cells(probes["disk append"]), "1", ""],
            ["4 KB overwrite + fdatasync", *_probe_cells(probes["disk overwrite"]), "", ""]]
    append = {number: result["ops_per_s"] for number, result in probes["disk append"].items()}
    for peer in samples.peers("insert"):
        chosen = samples.of("insert", peer, 1)
        if not chosen or chosen[0].durability != GROUP:
            continue
        values = ratios_by_round({s.round: s.ops_per_s for s in chosen}, append, samples.rounds)
        ratio = (median(values), *bootstrap_interval(values))
        judged = verdict(ratio[0], DISK_FLOOR, DISK_GOAL) if peer == Partita.name else ""
        rows.append([f"{peer} insert, 1 client", f"{median([s.ops_per_s for s in chosen]):,.0f}",
                     f"{median([s.p50_us for s in chosen]) / 1000:.3f}",
                     f"{median([s.p99_us for s in chosen]) / 1000:.3f}", _with_interval(*ratio), judged])
    return table(["one writer, on disk before the answer", "ops/s median", "p50 ms", "p99 ms", "÷ append",
                  f"floor {DISK_FLOOR} / goal {DISK_GOAL}"], rows)


def _probe_cells(results):
    values = list(results.values())
    return [f"{median([v['ops_per_s'] for v in values]):,.0f}", f"{median([v['p50_us'] for v in values]) / 1000:.3f}",
            f"{median([v['p99_us'] for v in values]) / 1000:.3f}"]


def starts(start_times, memory):
    """`start_times`: [(peer, which start, seconds)]; `memory`: {peer: (rss, pss)} of a first start."""
    rows = []
    for peer, which, seconds in start_times:
        milliseconds = median(seconds) * 1000
        rss, pss = memory.get((peer, which), (None, None))
        is_ours = peer == Partita.name
        rows.append([
            peer, which, f"{milliseconds:.0f}", verdict(milliseconds, START_FLOOR_MS, START_GOAL_MS) if is_ours else "",
            f"{rss:.1f}" if rss else "", f"{pss:.1f}" if pss else "",
            verdict(rss, IDLE_FLOOR_MB, IDLE_GOAL_MB) if is_ours and rss else "",
        ])
    return table(["server", "start", "ms to first answer", f"floor {START_FLOOR_MS} / goal {START_GOAL_MS}", "idle RSS MB",
                  "PSS MB", f"floor {IDLE_FLOOR_MB} / goal {IDLE_GOAL_MB}"], rows)

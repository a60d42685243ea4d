"""Test reports, as (passed, failed, skipped, names of the failed)."""

import json
import re
import xml.etree.ElementTree


def read_tap(path):
    """The report of `node --test`: its closing counts, and the innermost failed tests by name."""
    text = path.read_text(errors="replace")
    counts = {name: int(value) for name, value in re.findall(r"^# (pass|fail|cancelled|skipped) (\d+)$", text, re.M)}
    failed = counts.get("fail", 0) + counts.get("cancelled", 0)
    names = re.findall(r"^\s*not ok \d+ - (.+)$", text, re.M)
    return counts.get("pass", 0), failed, counts.get("skipped", 0), names


def read_junit(paths):
    passed, skipped, names = 0, 0, []
    for path in paths:
        if not path.exists():
            continue
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            problem = case.find("failure") if case.find("failure") is not None else case.find("error")
            if problem is not None:
                reason = (problem.get("message") or "").strip().split("\n")[0][:200]
                names.append(f"{case.get('classname')}.{case.get('name')}: {reason}")
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    return passed, len(names), skipped, names


def read_go_events(path):
    """The report of `go test -json`. A test with subtests is counted by these."""
    outcomes = {}
    for line in path.read_text(errors="replace").splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("Test") and event.get("Action") in ("pass", "fail", "skip"):
            outcomes[event["Test"]] = event["Action"]
    parents = {name.rpartition("/")[0] for name in outcomes}
    leaves = {name: action for name, action in outcomes.items() if name not in parents}
    failed = [name for name, action in leaves.items() if action == "fail"]
    actions = list(leaves.values())
    return actions.count("pass"), len(failed), actions.count("skip"), failed

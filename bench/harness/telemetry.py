"""Telemetry documents of about 300 bytes, and the questions that are asked about them.

Devices and sites grow with the number of documents, and ranges shrink, so that a question has as many results at ten times the
documents; only questions that are marked as growing read all of them.
"""

import json
import random
from dataclasses import dataclass
from typing import Callable

METRICS = ("temperature", "humidity", "pressure", "vibration", "current", "voltage", "flow", "noise")
TAGS = ("indoor", "outdoor", "calibrated", "mains", "battery", "spare", "rented", "leased")
UNITS = ("C", "%", "hPa", "mm/s", "A", "V", "l/s", "dB")
VALUE_STEPS = 2_000_000  # values lie in [0, 200), in steps of 0.0001
DOCUMENTS_PER_DEVICE, DOCUMENTS_PER_SITE = 200, 140
CHOICES = 64  # different parameters of one question


def time_of(number):
    """A second later for every document."""
    minutes, second = divmod(number, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"2026-{1 + days // 28:02}-{1 + days % 28:02}T{hour:02}:{minute:02}:{second:02}Z"


def document(number, count, source):
    metric = source.randrange(len(METRICS))
    tags = source.sample(TAGS, 2)
    return {
        "id": f"reading-{number:010}",
        "deviceId": f"device-{source.randrange(count // DOCUMENTS_PER_DEVICE):06}",
        "readingTime": time_of(number),
        "metric": METRICS[metric],
        "value": source.randrange(VALUE_STEPS) / 10_000,
        "unit": UNITS[metric],
        "location": {"site": f"site-{source.randrange(count // DOCUMENTS_PER_SITE):06}", "floor": source.randrange(12),
                     "room": f"r{source.randrange(400)}"},
        "tags": tags,
        "battery": source.randrange(101),
        "online": source.random() < 0.9,
    }


def documents(count):
    source = random.Random(count)
    for number in range(count):
        yield document(number, count, source)


@dataclass(frozen=True)
class Question:
    """What is asked, in both languages. `postgres` has $1, $2 … for the parameters, in their order."""

    name: str
    cosmos: str
    postgres: str
    index: str  # that serves it best in PostgreSQL, or nothing
    parameters: Callable = lambda count, source: {}
    grows: bool = False  # reads all documents, whatever the index
    cosmosdb_server: bool = True  # understands it

    def choices(self, count):
        source = random.Random(self.name)
        return [self.parameters(count, source) for _ in range(CHOICES)]


def _device_and_times(count, source):
    """About 86 of a device's 200 readings."""
    first = source.randrange(count * 57 // 100)
    return {"@device": f"device-{source.randrange(count // DOCUMENTS_PER_DEVICE):06}", "@from": time_of(first),
            "@to": time_of(first + count * 43 // 100)}


def _site_and_tag(count, source):
    return {"@site": f"site-{source.randrange(count // DOCUMENTS_PER_SITE):06}", "@tag": source.choice(TAGS)}


def _values(count, source):
    """A range that holds about 4,000 readings."""
    width = 200 * 4_000 / count
    low = round(source.random() * (200 - width), 4)
    return {"@low": low, "@high": round(low + width, 4)}


def _metric(count, source):
    return {"@metric": source.choice(METRICS)}


# Reads all documents, long and again and again.
RUNAWAY = Question("runaway", "SELECT VALUE COUNT(1) FROM c JOIN a IN c.tags JOIN b IN c.tags "
                   "WHERE CONTAINS(c.location.room, CONCAT(a, b))", "", "")

VALUE = "((doc->>'value')::float8)"

QUESTIONS = (
    Question("equality and range",
             "SELECT * FROM c WHERE c.deviceId = @device AND c.readingTime >= @from AND c.readingTime < @to",
             "SELECT doc FROM t WHERE doc->>'deviceId' = $1 AND doc->>'readingTime' >= $2 AND doc->>'readingTime' < $3",
             "((doc->>'deviceId'), (doc->>'readingTime'))", _device_and_times),
    Question("nested value and array",
             "SELECT * FROM c WHERE c.location.site = @site AND ARRAY_CONTAINS(c.tags, @tag)",
             "SELECT doc FROM t WHERE doc @> jsonb_build_object('location', jsonb_build_object('site', $1::text), "
             "'tags', jsonb_build_array($2::text))",
             "USING gin (doc jsonb_path_ops)", _site_and_tag),
    Question("order by, 100 rows",
             "SELECT TOP 100 * FROM c ORDER BY c.readingTime DESC",
             "SELECT doc FROM t ORDER BY doc->>'readingTime' DESC LIMIT 100",
             "((doc->>'readingTime'))"),
    Question("filter and order by, 100 rows",
             "SELECT TOP 100 * FROM c WHERE c.metric = @metric ORDER BY c[\"value\"]",
             f"SELECT doc FROM t WHERE doc->>'metric' = $1 ORDER BY {VALUE} LIMIT 100",
             f"((doc->>'metric'), {VALUE})", _metric),
    Question("count", "SELECT VALUE COUNT(1) FROM c", "SELECT count(*) FROM t", ""),
    Question("count of a range",
             "SELECT VALUE COUNT(1) FROM c WHERE c[\"value\"] >= @low AND c[\"value\"] < @high",
             f"SELECT count(*) FROM t WHERE {VALUE} >= $1 AND {VALUE} < $2",
             f"({VALUE})", _values),
    Question("largest value", "SELECT VALUE MAX(c[\"value\"]) FROM c", f"SELECT max({VALUE}) FROM t", f"({VALUE})"),
    Question("distinct values", "SELECT DISTINCT VALUE c.metric FROM c", "SELECT DISTINCT doc->>'metric' FROM t",
             "((doc->>'metric'))", cosmosdb_server=False),
    Question("count by metric", "SELECT c.metric, COUNT(1) AS n FROM c GROUP BY c.metric",
             "SELECT doc->>'metric', count(*) FROM t GROUP BY 1", "((doc->>'metric'))", grows=True,
             cosmosdb_server=False),
    Question("average by device",
             "SELECT c.deviceId, AVG(c[\"value\"]) AS average FROM c GROUP BY c.deviceId",
             f"SELECT doc->>'deviceId', avg({VALUE}) FROM t GROUP BY 1", "((doc->>'deviceId'))", grows=True, cosmosdb_server=False),
)


def postgres_indexes():
    """Each once."""
    return list(dict.fromkeys(question.index for question in QUESTIONS if question.index))


def cosmos_body(question, parameters):
    return json.dumps({"query": question.cosmos,
                       "parameters": [{"name": name, "value": value} for name, value in parameters.items()]})


def postgres_line(parameters):
    return "\t".join(str(value) for value in parameters.values())

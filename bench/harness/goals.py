"""The floors and goals that Partita is held to, and the verdict on a ratio."""

from dataclasses import dataclass

from .peers import CosmosdbServer, HttpCeiling, Partita, Postgres


@dataclass(frozen=True)
class Goal:
    """Ours against theirs for one operation, by processor time and by rate."""

    operation: str
    theirs: str
    cpu_floor: float  # theirs ÷ ours: how many times less processor time we take
    cpu_goal: float
    rate_floor: float  # ours ÷ theirs
    rate_goal: float

    ours = Partita.name


GOALS = (
    Goal("read", HttpCeiling.name, cpu_floor=1 / 3, cpu_goal=1 / 2, rate_floor=0.3, rate_goal=0.5),
    Goal("read", Postgres.name, cpu_floor=1, cpu_goal=2, rate_floor=1, rate_goal=2),
    Goal("read", CosmosdbServer.name, cpu_floor=5, cpu_goal=10, rate_floor=5, rate_goal=10),
    Goal("insert", Postgres.gin_name, cpu_floor=1, cpu_goal=2, rate_floor=1, rate_goal=2),
)

DISK_FLOOR, DISK_GOAL = 0.7, 0.9  # durable inserts of one client ÷ synced appends of one writer
START_FLOOR_MS, START_GOAL_MS = 100, 20
IDLE_FLOOR_MB, IDLE_GOAL_MB = 64, 20
QUERY_FLOOR, QUERY_GOAL = 0.7, 1  # processor time of PostgreSQL with its best index ÷ ours


def verdict(value, floor, goal):
    """Larger is better unless the goal lies below the floor."""
    if floor > goal:
        value, floor, goal = -value, -floor, -goal
    if value >= goal:
        return "PASS (goal)"
    return "PASS" if value >= floor else "BELOW FLOOR"

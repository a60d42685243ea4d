"""Compares a running server with everything its clients were told."""

from workload import CONTAINERS, DATABASE, INDEXING_POLICIES, scratch_key, settle_with

REPORTED_FINDINGS_MAX = 10


def verify(workload, port):
    """Everything that is wrong, as text; settles what was unknown. Session LSNs are compared along the way."""
    connection = workload.connect(port)
    problems = [settle_with(record, connection.read(record.key)) for record in workload.records]
    problems += [_verify_shared(shared, connection.read(shared.key)) for shared in workload.shared]
    problems += _verify_feeds(workload, connection)
    problems.append(_verify_policy(workload.policy, connection))
    problems += _verify_scratch(workload.scratch, connection)
    problems += _verify_lists(workload, connection)
    connection.close()
    found = workload.findings.take() + [problem for problem in problems if problem]
    return found[:REPORTED_FINDINGS_MAX] + ([f"... and {len(found) - REPORTED_FINDINGS_MAX} more"] if len(found) > REPORTED_FINDINGS_MAX else [])


def _verify_shared(shared, answer):
    if answer.status != 200:
        return f"{shared.key}: a read answered {answer}"
    return shared.tell(answer.json()["count"], shared.acknowledged)


def _verify_feeds(workload, connection):
    for container in CONTAINERS:
        documents, problem = _read_whole_feed(connection, container)
        if problem:
            yield problem
            continue
        for record in workload.records:
            if record.key.container != container or not record.current:
                continue
            document = documents.pop(record.key.id, None)
            if not record.current.is_shown_by(document):
                yield f"{record.key}: the feed shows {'another document' if document else 'nothing'}, a point read {record.current}"
        for shared in workload.shared:
            if shared.key.container == container and not documents.pop(shared.key.id, None):
                yield f"{shared.key}: the feed does not show it"
        if documents:
            yield f"{container}: the feed shows documents that nobody has written: {', '.join(documents)}"


def _read_whole_feed(connection, container):
    documents, continuation = {}, None
    while True:
        answer = connection.page(DATABASE, container, continuation)
        if answer.status != 200:
            return {}, f"{container}: its feed answered {answer}"
        for document in answer.json()["Documents"]:
            if document["id"] in documents:
                return {}, f"{container}: its feed shows {document['id']} twice"
            documents[document["id"]] = document
        continuation = answer.headers.get("x-ms-continuation")
        if not continuation:
            return documents, None


def _verify_policy(policy, connection):
    answer = connection.container("GET", DATABASE, "wide")
    if answer.status != 200:
        return f"reading the container 'wide' answered {answer}"
    stored = answer.json()["indexingPolicy"]
    for number in policy.possible:
        if _excluded(stored) == _excluded(INDEXING_POLICIES[number]):
            policy.possible = {number}
            return None
    return f"the indexing policy is {stored}, possible are numbers {policy.possible}"


def _excluded(policy):
    return {path["path"] for path in policy["excludedPaths"]}


def _verify_scratch(scratch, connection):
    for name, possible in list(scratch.possible.items()):
        state = _scratch_state(name, connection)
        if state not in possible:
            yield f"{name}: found {state}, possible: {', '.join(sorted(possible))}"
        scratch.possible[name] = {state}
        if state in ("database", "container"):
            answer = connection.delete_database(name)
            if answer.status != 204:
                yield f"deleting {name} answered {answer}"
                continue
            state = "absent"
        if state == "absent":
            del scratch.possible[name]


def _scratch_state(name, connection):
    answers = [
        ("absent", connection.read_database(name)),
        ("database", connection.container("GET", name, "box")),
        ("container", connection.read(scratch_key(name))),
    ]
    for state, answer in answers:
        if answer.status == 404:
            return state
        if answer.status != 200:
            return f"an answer {answer}"
    return "document"


def _verify_lists(workload, connection):
    expected = sorted([DATABASE, *workload.scratch.possible])
    databases = sorted(database["id"] for database in connection.list_databases().json()["Databases"])
    if databases != expected:
        yield f"the databases are {databases}, expected {expected}"
    containers = sorted(container["id"] for container in connection.list_containers(DATABASE).json()["DocumentCollections"])
    if containers != sorted([*CONTAINERS, *workload.others]):
        yield f"the containers are {containers}"

"""Fixtures: every test runs with the asynchronous and with the synchronous client, in a database of its module."""

import os
import uuid
from contextlib import asynccontextmanager

import pytest_asyncio
from azure.cosmos import CosmosClient, PartitionKey
from azure.cosmos.aio import CosmosClient as AsyncCosmosClient
from azure.cosmos.exceptions import CosmosHttpResponseError

from awaitable import Awaitable

ENDPOINT = os.environ.get("PARTITA_ENDPOINT", "http://127.0.0.1:8081/")
KEY = os.environ.get(
    "PARTITA_KEY",
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==",
)


def unique_id(prefix="conformance-py"):
    return f"{prefix}-{uuid.uuid4()}"


@asynccontextmanager
async def open_client(kind, key=KEY):
    """A client of the kind "sync" or "async". Opening reads the account document, in both SDKs."""
    if kind == "sync":
        with CosmosClient(ENDPOINT, key) as client:
            yield Awaitable(client)
    else:
        async with AsyncCosmosClient(ENDPOINT, key) as client:
            yield client


@pytest_asyncio.fixture(scope="module", params=["async", "sync"])
async def client(request):
    async with open_client(request.param) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module")
async def database(client):
    created = await client.create_database(unique_id())
    yield created
    await client.delete_database(created.id)


@pytest_asyncio.fixture
async def new_container(database):
    """Makes containers: `await new_container("/pk", offer_throughput=400)`."""

    async def make(path="/pk", **options):
        kind = "MultiHash" if isinstance(path, list) else "Hash"
        return await database.create_container(unique_id("c"), PartitionKey(path=path, kind=kind), **options)

    return make


@pytest_asyncio.fixture(scope="module")
async def container(database):
    """With as much throughput as one partition can have, so that nobody waits."""
    return await database.create_container(unique_id("c"), PartitionKey(path="/pk"), offer_throughput=10000)


class Failure:
    """`with fails(404) as failure:` asserts the status (and substatus), then gives the error as `failure.error`."""

    def __init__(self, status, substatus=None):
        self.status, self.substatus, self.error = status, substatus, None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        assert error is not None, f"expected {self.status}, but it succeeded"
        if not isinstance(error, CosmosHttpResponseError):
            return False
        assert error.status_code == self.status, error
        if self.substatus is not None:
            assert int(error.sub_status) == self.substatus, error
        self.error = error
        return True


def fails(status, substatus=None):
    return Failure(status, substatus)


class Statuses(list):
    """Collects the HTTP status of every answer to an operation given `raw_response_hook=statuses.note`."""

    def note(self, response):
        self.append(response.http_response.status_code)


def set_header(name, value):
    """A `raw_request_hook` that changes one header, for what the SDK itself would not send."""

    def change(request):
        request.http_request.headers[name] = value

    return change


# For queries that the server is to merge, and ids that the service's gateway does not reach by name.
EXTENDED = {"raw_request_hook": set_header("x-partita-fidelity", "extended")}


def partition_key_header(value):
    return set_header("x-ms-documentdb-partitionkey", value)

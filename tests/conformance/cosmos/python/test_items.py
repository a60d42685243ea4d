import asyncio
import base64
import re

import pytest
from azure.core import MatchConditions

from conftest import EXTENDED, Statuses, fails, unique_id


async def test_a_created_item_has_system_properties_and_is_read_back(container):
    item = {"id": "created", "pk": "x", "nested": {"list": [1, 2.5, None, True, "é鱀"]}}
    created = await container.create_item(item)
    read = await container.read_item("created", "x")
    assert dict(read) == dict(created)
    assert {name: read[name] for name in item} == item
    assert len(base64.b64decode(read["_rid"].replace("-", "/"))) == 16
    assert re.fullmatch(r"dbs/[^/]+/colls/[^/]+/docs/[^/]+/", read["_self"])
    assert re.fullmatch(r'".+"', read["_etag"])


async def test_every_answer_carries_a_charge_a_session_token_and_an_activity_id(container):
    created = await container.create_item({"id": "headers", "pk": "x"})
    headers = (await container.read_item("headers", "x")).get_response_headers()
    assert float(headers["x-ms-request-charge"]) > 0
    assert re.match(r"\d+:-?\d+#\d+", headers["x-ms-session-token"])
    assert re.fullmatch(r"[0-9a-f-]{36}", headers["x-ms-activity-id"])
    assert headers["etag"] == created["_etag"]


async def test_a_missing_item_is_404_without_substatus(container):
    with fails(404) as failure:
        await container.read_item("missing", "x")
    assert not failure.error.sub_status
    with fails(404):
        await container.replace_item("missing", {"id": "missing", "pk": "x"})
    with fails(404):
        await container.delete_item("missing", "x")


async def test_an_id_is_unique_within_its_key_not_beyond(container):
    await container.create_item({"id": "same", "pk": "x", "of": "x"})
    with fails(409):
        await container.create_item({"id": "same", "pk": "x"})
    await container.create_item({"id": "same", "pk": "y", "of": "y"})
    assert (await container.read_item("same", "x"))["of"] == "x"
    assert (await container.read_item("same", "y"))["of"] == "y"


async def test_replace_changes_body_and_etag_and_keeps_the_rid(container):
    before = await container.create_item({"id": "replaced", "pk": "x", "n": 1, "gone": True})
    after = await container.replace_item("replaced", {"id": "replaced", "pk": "x", "n": 2})
    assert after["n"] == 2 and "gone" not in after
    assert after["_rid"] == before["_rid"]
    assert after["_etag"] != before["_etag"]


async def test_upsert_creates_with_201_then_replaces_with_200(container):
    statuses = Statuses()
    first = await container.upsert_item({"id": "upserted", "pk": "x", "n": 1}, raw_response_hook=statuses.note)
    second = await container.upsert_item({"id": "upserted", "pk": "x", "n": 2}, raw_response_hook=statuses.note)
    assert statuses == [201, 200]
    assert second["_rid"] == first["_rid"]
    assert (await container.read_item("upserted", "x"))["n"] == 2


async def test_a_deleted_item_is_gone_and_its_id_free_again(container):
    await container.create_item({"id": "deleted", "pk": "x"})
    statuses = Statuses()
    await container.delete_item("deleted", "x", raw_response_hook=statuses.note)
    assert statuses == [204]
    with fails(404):
        await container.read_item("deleted", "x")
    await container.create_item({"id": "deleted", "pk": "x"})


async def test_an_item_over_2_mb_is_413_and_one_just_below_is_kept(container):
    with fails(413):
        await container.create_item({"id": "too-big", "pk": "x", "text": "a" * (2 * 1024 * 1024)})
    below = "a" * (2 * 1024 * 1024 - 4096)
    await container.create_item({"id": "below", "pk": "x", "text": below})
    assert (await container.read_item("below", "x"))["text"] == below


async def test_an_item_without_an_id_is_refused(container):
    with fails(400):
        await container.create_item({"pk": "x"}, enable_automatic_id_generation=False)


async def test_no_response_is_given_when_none_is_wanted(container):
    answer = await container.create_item({"id": "quiet", "pk": "x"}, no_response=True)
    assert not dict(answer)
    assert (await container.read_item("quiet", "x"))["id"] == "quiet"


async def two_versions(container):
    """The stale etag and the current item of an item written twice."""
    name = unique_id("etag")
    first = await container.create_item({"id": name, "pk": "x", "n": 1})
    second = await container.replace_item(name, {"id": name, "pk": "x", "n": 2})
    return first["_etag"], second


def if_match(etag):
    return {"etag": etag, "match_condition": MatchConditions.IfNotModified}


def if_none_match(etag):
    return {"etag": etag, "match_condition": MatchConditions.IfModified}


async def test_replace_upsert_and_delete_with_a_stale_etag_are_412(container):
    stale, item = await two_versions(container)
    body = {"id": item["id"], "pk": "x", "n": 3}
    with fails(412):
        await container.replace_item(item["id"], body, **if_match(stale))
    with fails(412):
        await container.upsert_item(body, **if_match(stale))
    with fails(412):
        await container.delete_item(item["id"], "x", **if_match(stale))
    assert (await container.read_item(item["id"], "x"))["n"] == 2


async def test_replace_and_delete_with_the_current_etag_succeed(container):
    _, item = await two_versions(container)
    changed = await container.replace_item(
        item["id"], {"id": item["id"], "pk": "x", "n": 3}, **if_match(item["_etag"])
    )
    await container.delete_item(item["id"], "x", **if_match(changed["_etag"]))


async def test_read_is_304_when_nothing_changed_and_200_when_it_did(container):
    stale, item = await two_versions(container)
    statuses = Statuses()
    unchanged = await container.read_item(
        item["id"], "x", raw_response_hook=statuses.note, **if_none_match(item["_etag"])
    )
    assert not unchanged
    changed = await container.read_item(item["id"], "x", raw_response_hook=statuses.note, **if_none_match(stale))
    assert changed["n"] == 2
    assert statuses == [304, 200]


async def test_of_concurrent_replaces_with_one_etag_exactly_one_succeeds(container):
    _, item = await two_versions(container)

    async def replace(n):
        try:
            await container.replace_item(item["id"], {"id": item["id"], "pk": "x", "n": n}, **if_match(item["_etag"]))
            return 200
        except Exception as error:  # the status decides below
            return error.status_code

    assert sorted(await asyncio.gather(*(replace(n) for n in range(8)))) == [200] + [412] * 7


AWKWARD_IDS = [
    "with spaces inside",
    " leading space",
    "WithUnicode鱀",
    "combining é and 😀",
    "WithAllowedSpecial,=.:~+-@()^${}[]!_Chars",
    "single'quote and double\"quote",
    "plus+plus++",
    "percent % alone",
    "semi;colon&ampersand=<tag>|pipe`tick",
    "docs",
    "x" * 255,
]


@pytest.mark.parametrize("name", AWKWARD_IDS, ids=lambda name: ascii(name[:20]))
async def test_awkward_ids_are_kept(container, name):
    await container.create_item({"id": name, "pk": name})
    assert (await container.read_item(name, name))["id"] == name
    assert (await container.replace_item(name, {"id": name, "pk": name, "n": 2}))["n"] == 2
    await container.delete_item(name, name)
    with fails(404):
        await container.read_item(name, name)


async def test_an_id_with_a_percent_escape_is_not_reached_by_name_as_with_the_service(container):
    name = "%20 and %E9%B1%80 as text"
    await container.create_item({"id": name, "pk": name})
    with fails(401):
        await container.read_item(name, name)
    assert (await container.read_item(name, name, **EXTENDED))["id"] == name
    await container.delete_item(name, name, **EXTENDED)


async def test_an_id_over_1023_bytes_is_refused(container):
    with fails(400):
        await container.create_item({"id": "x" * 1024, "pk": "x"})


async def test_reading_many_items_that_cannot_exist_is_charged(new_container):
    container = await new_container("/id")
    found = await container.read_items(items=[("a", "x"), ("b", "y")])
    assert list(found) == []
    assert float(found.get_response_headers()["x-ms-request-charge"]) > 0

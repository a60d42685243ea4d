from conftest import unique_id

BULK = "x" * 1536 * 1024  # large, so that one is more than a second's 400 RU


class Answers(list):
    """Every answer to an operation given `raw_response_hook=answers.note`, those that the SDK does not show included."""

    def note(self, response):
        self.append(response.http_response)


async def test_the_clients_own_retries_succeed_in_the_end(new_container):
    container = await new_container("/pk", offer_throughput=400)
    answers = Answers()
    items = [{"id": unique_id("item"), "pk": "p", "text": BULK} for _ in range(2)]
    for item in items:
        await container.create_item(item, raw_response_hook=answers.note)
    throttled = [answer for answer in answers if answer.status_code == 429]
    assert throttled
    for answer in throttled:
        assert answer.headers["x-ms-substatus"] == "3200"
        assert 0 < int(answer.headers["x-ms-retry-after-ms"]) <= 5000
    await container.replace_throughput(4000)  # so that nobody waits for the debt
    found = [row async for row in container.query_items("SELECT VALUE c.id FROM c", partition_key="p")]
    assert sorted(found) == sorted(item["id"] for item in items)


async def test_another_container_has_a_budget_of_its_own(new_container):
    busy = await new_container("/pk", offer_throughput=400)
    calm = await new_container("/pk", offer_throughput=400)
    for number in range(2):
        await busy.create_item({"id": str(number), "pk": "p", "text": BULK})
    answers = Answers()
    await calm.create_item({"id": "a", "pk": "p"}, raw_response_hook=answers.note)
    assert [answer.status_code for answer in answers] == [201]

"""The synchronous SDK behind the asynchronous SDK's interface, so that each test is written once and judges both."""

import asyncio
import inspect

from azure.core.paging import ItemPaged
from azure.cosmos import ContainerProxy, CosmosClient, DatabaseProxy, ScriptsProxy, UserProxy


class Pages:
    """An ItemPaged as an AsyncItemPaged: iterated with `async for`, as items or by page."""

    def __init__(self, paged):
        self._paged = paged

    async def __aiter__(self):
        for item in await asyncio.to_thread(list, self._paged):
            yield item

    def by_page(self, continuation_token=None):
        return PageIterator(self._paged.by_page(continuation_token))


class PageIterator:
    def __init__(self, pages):
        self._pages = pages

    def __aiter__(self):
        return self

    async def __anext__(self):
        page = await asyncio.to_thread(next, self._pages, None)
        if page is None:
            raise StopAsyncIteration
        return Items(list(page))

    @property
    def continuation_token(self):
        return self._pages.continuation_token


class Items(list):
    async def __aiter__(self):
        for item in list(self):
            yield item


def wrap(value):
    if isinstance(value, ItemPaged):
        return Pages(value)
    if isinstance(value, (CosmosClient, DatabaseProxy, ContainerProxy, ScriptsProxy, UserProxy)):
        return Awaitable(value)
    return value


class Awaitable:
    """A client, database or container. What the asynchronous SDK declares `async` is awaited here as well."""

    _PLAIN = ("get_", "list_", "query_", "read_all_", "read_feed_")
    _ASYNC = ("get_throughput", "get_stored_procedure", "get_trigger", "get_user_defined_function")

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        attribute = getattr(self._inner, name)
        if not inspect.ismethod(attribute):
            return wrap(attribute)
        plain = name.startswith(self._PLAIN) and name not in self._ASYNC

        def call(*arguments, **keywords):
            arguments = [a._inner if isinstance(a, Awaitable) else a for a in arguments]
            if name == "execute_stored_procedure" and "parameters" in keywords:
                keywords["params"] = keywords.pop("parameters")  # what the synchronous SDK calls them
            if plain:
                return wrap(attribute(*arguments, **keywords))
            return self._call_in_thread(attribute, arguments, keywords)

        return call

    @staticmethod
    async def _call_in_thread(method, arguments, keywords):
        return wrap(await asyncio.to_thread(method, *arguments, **keywords))

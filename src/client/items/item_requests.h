#pragma once

#include "client/request.h"
#include "document/key/partition_key.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Requests about the documents of a container, ready for Client::send() with a callback or without.
namespace partita::client {

struct ItemOptions {
  std::string if_match = {};       // an etag: only if the document still has it
  std::string if_none_match = {};  // an etag, or *
  bool wants_body = true;          // of writes: the document as it was written
};

Request create_item(const ContainerName& name, const PartitionKey& key, std::string document, const ItemOptions& options = {});
Request upsert_item(const ContainerName& name, const PartitionKey& key, std::string document, const ItemOptions& options = {});
Request replace_item(const ContainerName& name, const PartitionKey& key, std::string_view id, std::string document,
                     const ItemOptions& options = {});
// `operations` is the JSON array of the operations, or the object that also has a condition.
Request patch_item(const ContainerName& name, const PartitionKey& key, std::string_view id, std::string operations,
                   const ItemOptions& options = {});
Request read_item(const ContainerName& name, const PartitionKey& key, std::string_view id, const ItemOptions& options = {});
Request delete_item(const ContainerName& name, const PartitionKey& key, std::string_view id, const ItemOptions& options = {});

// `parameters` is a JSON array.
Request execute_procedure(const ContainerName& name, const PartitionKey& key, std::string_view procedure,
                          std::string parameters = "[]");

// Which partition a feed is of; neither: all of them, one after the other.
struct FeedScope {
  std::string range_id = {};
  std::optional<PartitionKey> key = {};
};
struct PageOptions {
  int64_t items_max = -1;         // -1: the server decides
  std::string continuation = {};  // where the page before ended
  // Of queries: the rows of several partitions are put together by the server, as this one can and the service does not.
  bool is_merged_by_server = false;
};
// A page of all documents, in no order. The answer is a feed of Documents.
Request read_items(const ContainerName& name, const FeedScope& scope, const PageOptions& options = {});
// The next changes: 304 when there are none. `options.continuation` is the etag of the answer before; the answer's etag is the
// next one.
Request read_changes(const ContainerName& name, const FeedScope& scope, const PageOptions& options = {});

// A page of a query, as the server answers it by itself. `body` is of query_body().
Request query_page(const ContainerName& name, const FeedScope& scope, std::string body, const PageOptions& options = {});
// The same, answered with an explanation instead of its rows, by servers that give one.
Request explained_query_page(const ContainerName& name, const FeedScope& scope, std::string body);
// {"query":...,"parameters":[...]}; `parameters` is a JSON array of objects with name and value, or empty.
std::string query_body(std::string_view text, std::string_view parameters = {});

}  // namespace partita::client

#include "tools/bench/run/operations.h"

#include "client/items/item_requests.h"
#include "document/json/json.h"

#include <fmt/format.h>

namespace partita::tools::bench {

Operations::Operations(const Plan& plan, DocumentNumbers& numbers, const KeyChooser& keys, uint64_t connection)
    : plan_(plan), numbers_(numbers), keys_(keys), random_(mix(plan.seed) + connection) {
  keys_.begin_at(random_.next());
}

Subject Operations::subject(uint64_t number) const {
  const bool is_inserted = number >= plan_.document_count;
  return {.seed = plan_.seed,
          .number = number,
          .version = 0,
          .documents_per_key = plan_.documents_per_key,
          .id_prefix = is_inserted ? std::string_view(plan_.inserted_prefix) : std::string_view("item-")};
}

void Operations::choose() {
  kind_ = choose_kind(plan_.workload, random_);
  const uint64_t readable = numbers_.readable();
  number_ = kind_ == OperationKind::kInsert || readable == 0 ? 0 : keys_.choose(random_, readable);
  if (kind_ == OperationKind::kInsert) number_ = numbers_.take();
  subject_ = subject(number_);
  // A template's values are JSON, and its key is a scalar.
  const Result<PartitionKey> key = PartitionKey::parse(fmt::format("[{}]", plan_.documents.key(subject_)));
  key_ = key ? *key : PartitionKey{.components = {UndefinedKey{}}};
}

client::Request Operations::begin() {
  choose();
  was_read_ = false;
  switch (kind_) {
    case OperationKind::kInsert: return insert();
    case OperationKind::kUpdate: return replace();
    case OperationKind::kRead:
    case OperationKind::kReadModifyWrite: return client::read_item(plan_.container, key_, plan_.documents.id(subject_));
    case OperationKind::kQuery:
    case OperationKind::kScan: break;
  }
  query_body_ = client::query_body(query_text());
  return page({});
}

client::Request Operations::insert() {
  std::string document;
  plan_.documents.append_document(document, subject_);
  return plan_.replaces_existing ? client::upsert_item(plan_.container, key_, std::move(document))
                                 : client::create_item(plan_.container, key_, std::move(document));
}

client::Request Operations::replace() {
  Subject changed = subject_;
  changed.version = random_.next() | 1;
  std::string document;
  plan_.documents.append_document(document, changed);
  return client::replace_item(plan_.container, key_, plan_.documents.id(subject_), std::move(document));
}

std::string Operations::query_text() {
  if (kind_ == OperationKind::kQuery) return plan_.query.text(subject_);
  std::string id;
  append_json_string(id, plan_.documents.id(subject_));
  return fmt::format("SELECT TOP {} * FROM c WHERE c.id >= {} ORDER BY c.id", 1 + random_.below(kScanDocumentsMax), id);
}

client::Request Operations::page(std::string continuation) {
  client::FeedScope scope;
  if (!plan_.is_across_partitions) scope.key = key_;
  return client::query_page(plan_.container, scope, query_body_,
                            {.items_max = -1, .continuation = std::move(continuation), .is_merged_by_server = true});
}

std::optional<client::Request> Operations::go_on(const client::Response& response) {
  if (kind_ == OperationKind::kReadModifyWrite && !was_read_) {
    was_read_ = true;
    return replace();
  }
  const bool has_pages = kind_ == OperationKind::kQuery || kind_ == OperationKind::kScan;
  if (!has_pages || response.continuation().empty()) return std::nullopt;
  return page(std::string(response.continuation()));
}

void Operations::end(bool is_success) {
  if (kind_ != OperationKind::kInsert) return;
  is_success ? numbers_.acknowledge(number_) : numbers_.give_back(number_);
}

}  // namespace partita::tools::bench

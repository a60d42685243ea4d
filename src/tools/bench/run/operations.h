#pragma once

#include "client/request.h"
#include "client/response.h"
#include "document/key/partition_key.h"
#include "tools/bench/load/choices.h"
#include "tools/bench/load/document_numbers.h"
#include "tools/bench/load/document_template.h"
#include "tools/bench/load/workload.h"

#include <cstdint>
#include <optional>
#include <string>

namespace partita::tools::bench {

// YCSB's scans are of 1 to so many documents, each length alike.
inline constexpr uint64_t kScanDocumentsMax = 100;

// Plan: what operations are made from. Immutable while they run.
struct Plan {
  client::ContainerName container;
  Workload workload;
  DocumentTemplate documents;
  TextTemplate query;
  uint64_t document_count = 0;  // that exist before
  uint64_t documents_per_key = 1;
  double exponent = kZipfExponent;
  bool is_across_partitions = false;      // queries and scans, instead of one partition key
  bool replaces_existing = false;         // inserts are upserts
  std::string inserted_prefix = "item-";  // of the ids of documents beyond document_count
  uint64_t seed = 1;
};

// Operations: those of one connection, one after the other. Not thread-safe.
class Operations {
 public:
  Operations(const Plan& plan, DocumentNumbers& numbers, const KeyChooser& keys, uint64_t connection);

  // Begins the next one: its first request.
  client::Request begin();
  // After a successful answer: its next request. Nothing: it is over.
  std::optional<client::Request> go_on(const client::Response& response);
  // REQUIRES: called once for each begin().
  void end(bool is_success);

  OperationKind kind() const { return kind_; }
  // The partition key of the document that it is about.
  const PartitionKey& key() const { return key_; }

 private:
  Subject subject(uint64_t number) const;
  void choose();
  client::Request first_request();
  client::Request insert();
  client::Request replace();
  client::Request page(std::string continuation);
  std::string query_text();

  const Plan& plan_;
  DocumentNumbers& numbers_;
  KeyChooser keys_;
  RandomSource random_;
  OperationKind kind_ = OperationKind::kRead;
  uint64_t number_ = 0;
  Subject subject_;
  PartitionKey key_;
  std::string query_body_;
  bool was_read_ = false;  // of a read-modify-write
};

}  // namespace partita::tools::bench

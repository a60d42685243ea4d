#pragma once

#include "client/client.h"
#include "tools/transfer/container/prepare.h"
#include "tools/transfer/import/destination.h"

#include <atomic>
#include <memory>
#include <string>

namespace partita::tools::transfer {

// ServiceDestination: a container of a server. Thread-safe.
class ServiceDestination : public Destination {
 public:
  // Without bulk each document has a request of its own; the server must then find its partition, which it does also where only
  // it knows the key. The client tries nothing again by itself. A server that does not know bulk requests is sent no more of
  // them.
  ServiceDestination(client::Client client, client::ContainerName name, WriteMode mode, bool is_bulk, KeyOrigin keys)
      : client_(std::move(client)), name_(std::move(name)), mode_(mode), is_bulk_(is_bulk), keys_(keys) {}

  Result<std::vector<client::PartitionRange>> ranges() override;
  void write(const std::string& range_id, std::span<const PendingWrite> writes,
             std::move_only_function<void(std::vector<WriteAnswer>)> callback) override;
  void read(const PendingWrite& write, std::move_only_function<void(ReadAnswer)> callback) override;
  bool draws_keys() const override { return keys_ == KeyOrigin::kDrawn; }
  size_t batch_max() const override;

 private:
  // A page of those with its id, in all partitions.
  void find(const PendingWrite& write, std::move_only_function<void(ReadAnswer)> callback) const;
  void write_one(const PendingWrite& write, std::move_only_function<void(std::vector<WriteAnswer>)> callback) const;

  client::Client client_;
  client::ContainerName name_;
  WriteMode mode_;
  bool is_bulk_;
  KeyOrigin keys_;
  // Callbacks may outlive the destination.
  enum class Bulk { kUntried, kKnown, kUnknown };
  std::shared_ptr<std::atomic<Bulk>> bulk_ = std::make_shared<std::atomic<Bulk>>(Bulk::kUntried);
};

}  // namespace partita::tools::transfer

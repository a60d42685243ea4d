#pragma once

#include "base/fair_memory.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace partita {

// What the catalog keeps of things besides the texts that define them, measured with many of them: tables, identities, budgets,
// and for a partition its latches, heat and samples.
inline constexpr size_t kResourceMemoryBytes = 1'024;
inline constexpr size_t kContainerMemoryBytes = 8'192;
inline constexpr size_t kPartitionMemoryBytes = 24'576;
// What a text of a container's definition becomes: itself, and the rules that follow from it.
inline constexpr size_t kDefinitionCopies = 4;

// CatalogLoan: what one resource takes of the memory that is for the catalog; given back at its end. Not thread-safe.
class CatalogLoan {
 public:
  // Of a memory without end.
  CatalogLoan() = default;
  CatalogLoan(std::shared_ptr<FairMemory> memory, uint32_t database)
      : memory_(std::move(memory)), loan_(memory_.get(), database) {}
  CatalogLoan(CatalogLoan&&) = default;
  CatalogLoan& operator=(CatalogLoan&& other) noexcept {
    loan_ = std::move(other.loan_);  // while its memory is there
    memory_ = std::move(other.memory_);
    return *this;
  }

  // kForbidden, and the loan stays as it is, when the database has as much as it may have.
  Status grow_to(size_t bytes, FairMemory::Claim claim = FairMemory::Claim::kShare);
  void shrink_to(size_t bytes) { loan_.shrink_to(bytes); }
  size_t bytes() const { return loan_.bytes(); }

 private:
  std::shared_ptr<FairMemory> memory_;  // resources may outlive the catalog
  MemoryLoan loan_;
};
// Of an immutable resource, whose next version has a loan of its own.
using CatalogLoanPtr = std::shared_ptr<const CatalogLoan>;

// CatalogMemory: how much memory all definitions, scripts, users, permissions and partitions may take. They are in memory as long
// as they exist, so whoever creates them is refused beyond that. Databases share it as FairMemory says. Thread-safe.
class CatalogMemory {
 public:
  static constexpr size_t kUnlimited = size_t{1} << 60;

  explicit CatalogMemory(size_t bytes) : memory_(std::make_shared<FairMemory>(bytes)) {}

  // Of nothing yet.
  CatalogLoan loan(uint32_t database) const { return {memory_, database}; }
  Result<CatalogLoanPtr> take(uint32_t database, size_t bytes, FairMemory::Claim claim = FairMemory::Claim::kShare) const;
  size_t taken() const { return memory_->taken(); }

 private:
  std::shared_ptr<FairMemory> memory_;
};

}  // namespace partita

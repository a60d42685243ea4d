#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools::bench {

enum class OperationKind : uint8_t { kInsert, kRead, kUpdate, kQuery, kScan, kReadModifyWrite };
inline constexpr size_t kOperationKinds = 6;

// insert, read, update, query, scan, read-modify-write.
std::string_view name_of(OperationKind kind);

// Which of the existing documents an operation is about.
enum class KeyOrder : uint8_t {
  kUniform,     // each alike
  kZipfian,     // few are asked for most of the time; which ones is scattered over all
  kLatest,      // the newer, the more
  kSequential,  // one after the other, from the first
};
std::string_view name_of(KeyOrder order);

// Workload: what is done, in which proportion, and to which documents.
struct Workload {
  std::string name;
  std::array<double, kOperationKinds> shares{};  // they add up to 1
  KeyOrder keys = KeyOrder::kUniform;

  double share(OperationKind kind) const { return shares[static_cast<size_t>(kind)]; }
  bool needs_documents() const { return share(OperationKind::kInsert) < 1; }

  // insert, read, query, update and scan do one thing; a to f are YCSB's.
  static Result<Workload> find(std::string_view name);
  // "read=95,insert=5": any numbers that are not negative.
  static Result<Workload> parse_mix(std::string_view text);
  static std::vector<std::string> names();
};

}  // namespace partita::tools::bench

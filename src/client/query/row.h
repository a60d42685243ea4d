#pragma once

#include "document/json/json.h"
#include "document/value.h"

#include <memory>
#include <string>
#include <string_view>

namespace partita::client {

// Row: one row of a query's result, or of a partition's answer. Immutable; it keeps the memory that it is in.
class Row {
 public:
  Row() = default;
  Row(std::shared_ptr<const std::string> owner, const Value& value)
      : owner_(std::move(owner)),
        start_(static_cast<size_t>(value.bytes().data() - owner_->data())),
        bytes_(value.bytes().size()) {}
  static Row of(std::string stored) {
    auto owner = std::make_shared<const std::string>(std::move(stored));
    const Value value = Value::view(*owner);
    return Row(std::move(owner), value);
  }

  Value value() const { return Value::view(std::string_view(*owner_).substr(start_, bytes_)); }
  std::string json() const { return to_json(value()); }
  // What is within it, as a row. REQUIRES: it is, and not undefined.
  Row part(const Value& within) const { return Row(owner_, within); }

 private:
  std::shared_ptr<const std::string> owner_;
  size_t start_ = 0;
  size_t bytes_ = 0;
};

}  // namespace partita::client

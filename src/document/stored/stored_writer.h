#pragma once

#include "document/value.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// StoredWriter: writes one value in stored form, depth first, in one pass.
//
// Not thread-safe; meant to be kept and reused (clear() keeps the memory of all but huge values). Calls out of order (a key
// outside an object, a second root) are broken invariants.
class StoredWriter {
 public:
  void null();
  void boolean(bool value);
  // Stores an integer when the double is one; -0.0 stays -0.0. REQUIRES: finite.
  void number(double value);
  void integer(int64_t value);
  // A JSON number token; kept as text only when neither int64 nor double reproduces it. REQUIRES: valid, not beyond all doubles.
  void number_token(std::string_view token);
  void string(std::string_view utf8);

  // Types that JSON does not have.
  void int32(int32_t value);
  void int64(int64_t value);
  void float64(double value);
  void decimal(const Decimal128& value);
  void binary(uint8_t subtype, std::string_view bytes);
  void date_time(int64_t milliseconds);
  // REQUIRES: kObjectIdBytes bytes.
  void object_id(std::string_view bytes);
  // REQUIRES: no zero byte in either; UTF-8.
  void regular_expression(std::string_view pattern, std::string_view options);
  void timestamp(uint64_t value);
  void min_key();
  void max_key();
  void code(std::string_view utf8);
  void symbol(std::string_view utf8);

  // REQUIRES: not undefined.
  void value(const Value& copied);

  void begin_array();
  void end_array();
  void begin_object();
  void key(std::string_view utf8);
  void end_object();

  void clear();
  // REQUIRES: exactly one whole value was written.
  std::string_view bytes() const;
  Value view() const { return Value::view(bytes()); }
  std::string take();

 private:
  struct OpenContainer {
    size_t start;        // of its tag in buffer_
    size_t first_entry;  // of its own in entries_
    bool is_object;
  };
  // What the container's tables need to know of one element or member.
  struct Entry {
    uint32_t offset = 0;     // from the container's tag
    uint32_t key_bytes = 0;  // of a member
    uint32_t key_start = 0;  // of a member, in buffer_
    uint16_t key_hash = 0;   // of a member
  };

  // Makes room for a value of `bytes` bytes and returns where to write it, after noting it in its container.
  char* begin_value(size_t bytes);
  char* extend(size_t bytes);
  void grow(size_t bytes);
  void begin_container(bool is_object);
  void end_container(bool is_object);
  void write_text(uint8_t tag, std::string_view text);
  void write_word(uint8_t tag, uint64_t word);
  void write_double(double value);
  void write_key_order(char* at, const Entry* entries, size_t count);

  std::string buffer_;  // as large as it ever was; the first used_ bytes count
  size_t used_ = 0;
  std::vector<OpenContainer> open_;
  std::vector<Entry> entries_;  // of all open containers, outermost first
  std::vector<uint32_t> order_;
  bool is_key_written_ = false;
};

}  // namespace partita

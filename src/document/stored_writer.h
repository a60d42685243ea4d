#pragma once

#include "document/value.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// StoredWriter: writes one value in stored form, depth first, in one pass.
//
// Not thread-safe; meant to be kept and reused (clear() keeps the memory). Calls out of order (a key outside an object, a
// second root) are broken invariants.
class StoredWriter {
 public:
  void null();
  void boolean(bool value);
  // Stores an integer when the double is one; -0.0 stays -0.0. REQUIRES: finite.
  void number(double value);
  void integer(int64_t value);
  // A JSON number token; kept as text only when neither int64 nor double reproduces it.
  void number_token(std::string_view token);
  void string(std::string_view utf8);
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
  // The implementation's own state: see stored_writer.cc.
};

}  // namespace partita

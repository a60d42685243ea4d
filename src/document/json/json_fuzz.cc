#include "base/check.h"
#include "document/json/json.h"
#include "document/json/utf8.h"
#include "document/order.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace partita {

namespace {

// Recognizer: RFC 8259 read one character at a time, to know which texts must be accepted.
class Recognizer {
 public:
  explicit Recognizer(std::string_view text) : text_(text) {}

  bool is_json() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    if (well_formed_utf8_bytes(text_, Surrogates::kRejected) != text_.size()) return false;
    skip_space();
    if (!value(0)) return false;
    skip_space();
    return text_.empty();
  }

 private:
  bool take(std::string_view expected) {
    if (!text_.starts_with(expected)) return false;
    text_.remove_prefix(expected.size());
    return true;
  }
  bool take_any(std::string_view characters) {
    if (text_.empty() || characters.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  void skip_space() {
    while (take_any(" \t\r\n")) {
    }
  }
  bool digits() {
    if (!take_any("0123456789")) return false;
    while (take_any("0123456789")) {
    }
    return true;
  }

  bool value(size_t depth) {
    if (text_.empty()) return false;
    switch (text_.front()) {
      case '{': return depth < kNestingMax && container('}', depth + 1);
      case '[': return depth < kNestingMax && container(']', depth + 1);
      case '"': return string();
      case 't': return take("true");
      case 'f': return take("false");
      case 'n': return take("null");
      default: return number();
    }
  }

  bool container(char end, size_t depth) {
    text_.remove_prefix(1);
    skip_space();
    if (take({&end, 1})) return true;
    do {
      skip_space();
      if (end == '}' && !key()) return false;
      if (!value(depth)) return false;
      skip_space();
    } while (take(","));
    return take({&end, 1});
  }

  bool key() {
    if (text_.empty() || text_.front() != '"' || !string()) return false;
    skip_space();
    if (!take(":")) return false;
    skip_space();
    return true;
  }

  bool string() {
    text_.remove_prefix(1);
    while (!text_.empty()) {
      if (take("\"")) return true;
      if (static_cast<uint8_t>(text_.front()) < 0x20) return false;
      if (!take("\\")) {
        text_.remove_prefix(1);
      } else if (take("u")) {
        for (int i = 0; i < 4; ++i) {
          if (!take_any("0123456789abcdefABCDEF")) return false;
        }
      } else if (!take_any("\"\\/bfnrt")) {
        return false;
      }
    }
    return false;
  }

  bool number() {
    const char* begin = text_.data();
    take("-");
    if (!take("0") && !digits()) return false;
    if (take(".") && !digits()) return false;
    if (take_any("eE")) {
      take_any("+-");
      if (!digits()) return false;
    }
    return !std::isinf(std::strtod(std::string(begin, text_.data()).c_str(), nullptr));
  }

  std::string_view text_;
};

}  // namespace

}  // namespace partita

// Any text either fails with a message because it is not JSON, or gives a value whose JSON is a fixpoint.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto stored = stored_from_json(text);
  CHECK(stored.has_value() == Recognizer(text).is_json());
  if (!stored) {
    CHECK(stored.error().code == ErrorCode::kInvalidInput && !stored.error().message.empty());
    return 0;
  }
  CHECK(validate_stored_form(*stored));
  const Value value = Value::view(*stored);
  const std::string json = to_json(value);
  const auto again = stored_from_json(json);
  CHECK(again && *again == *stored);
  CHECK(to_json(Value::view(*again)) == json);
  CHECK(equal(value, Value::view(*again)));
  return 0;
}

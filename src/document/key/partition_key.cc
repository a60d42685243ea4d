#include "document/key/partition_key.h"

#include "document/json/json.h"
#include "document/json/utf8.h"
#include "document/key/key_form.h"

#include <fmt/format.h>

namespace partita {

namespace {

// Ends a partition key's key form: smaller than the first byte of any component, so no key is another one's prefix.
constexpr char kKeyFormEnd = '\0';

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

double without_negative_zero(double number) { return number == 0 ? 0.0 : number; }

// What a document has at a partition key path.
PartitionKeyComponent component_of(const Value& value) {
  switch (value.type()) {
    case ValueType::kNull: return NullKey{};
    case ValueType::kBool: return value.boolean();
    case ValueType::kNumber: return without_negative_zero(value.number());
    case ValueType::kString: return std::string(value.string());
    case ValueType::kUndefined:
    case ValueType::kArray:
    case ValueType::kObject:
    case ValueType::kExtended: break;
  }
  return UndefinedKey{};
}

Result<PartitionKeyComponent> parse_component(const Value& value) {
  if (value.is_array()) return fail(ErrorCode::kInvalidInput, "A partition key component cannot be an array.");
  if (value.is_object() && value.size() > 0) {
    return fail(ErrorCode::kInvalidInput, "A partition key component cannot be an object other than {}, which means undefined.");
  }
  return component_of(value);
}

void append_utf16_escape(std::string& out, uint32_t unit) { fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit); }

// A JSON literal that survives a header: everything beyond ASCII as UTF-16 escapes.
void append_ascii_json_string(std::string& out, std::string_view utf8) {
  std::string literal;
  append_json_string(literal, utf8);
  for (std::string_view left = literal; !left.empty();) {
    const auto [code_point, bytes] = first_code_point(left);
    left.remove_prefix(bytes);
    if (code_point < 0x7F) {
      out += static_cast<char>(code_point);
    } else if (code_point < 0x10000) {
      append_utf16_escape(out, code_point);
    } else {
      append_utf16_escape(out, 0xD800 + ((code_point - 0x10000) >> 10));
      append_utf16_escape(out, 0xDC00 + ((code_point - 0x10000) & 0x3FF));
    }
  }
}

void append_component_json(std::string& out, const PartitionKeyComponent& component) {
  std::visit(Overloaded{[&](UndefinedKey) { out += "{}"; }, [&](NullKey) { out += "null"; },
                        [&](bool boolean) { out += boolean ? "true" : "false"; },
                        [&](double number) { append_json_number(out, number); },
                        [&](const std::string& string) { append_ascii_json_string(out, string); }},
             component);
}

void append_component_key_form(std::string& out, const PartitionKeyComponent& component) {
  std::visit(Overloaded{[&](UndefinedKey) { append_key_form_undefined(out); }, [&](NullKey) { append_key_form_null(out); },
                        [&](bool boolean) { append_key_form_bool(out, boolean); },
                        [&](double number) { append_key_form_number(out, number); },
                        [&](const std::string& string) { append_key_form_whole_string(out, string); }},
             component);
}

}  // namespace

// The commonest form of all, ["text"] with nothing to decode, without the machinery of a JSON reader.
std::optional<PartitionKey> parse_one_plain_string(std::string_view json) {
  if (json.size() < 4 || !json.starts_with("[\"") || !json.ends_with("\"]")) return std::nullopt;
  const std::string_view text = json.substr(2, json.size() - 4);
  bool is_plain = true;
  for (const char c : text) is_plain &= c >= ' ' && c < 0x7F && c != '"' && c != '\\';
  if (!is_plain) return std::nullopt;
  return PartitionKey{{std::string(text)}};
}

Result<PartitionKey> PartitionKey::parse(std::string_view json) {
  if (auto plain = parse_one_plain_string(json)) return *std::move(plain);
  const Result<std::string> stored = stored_from_json(json);
  if (!stored) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The partition key is not a JSON array such as [\"value\"]. {}", stored.error().message));
  }
  const Value array = Value::view(*stored);
  if (!array.is_array()) return fail(ErrorCode::kInvalidInput, "A partition key must be a JSON array of its components.");
  if (array.size() > kPartitionKeyPathsMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("A partition key has at most {} components, not {}.", kPartitionKeyPathsMax, array.size()));
  }
  PartitionKey key;
  for (size_t i = 0; i < array.size(); ++i) {
    TRY_ASSIGN(auto component, parse_component(array.element(i)));
    key.components.push_back(std::move(component));
  }
  return key;
}

PartitionKey PartitionKey::of(const Value& document, const PartitionKeyDefinition& definition) {
  PartitionKey key;
  key.components.reserve(definition.paths.size());
  for (const DocumentPath& path : definition.paths) key.components.push_back(component_of(path.resolve(document)));
  return key;
}

const DocumentPath* PartitionKey::repeated_in(const Value& document, const PartitionKeyDefinition& definition) {
  for (const DocumentPath& path : definition.paths) {
    Value at = document;
    for (const std::string& segment : path.segments) {
      if (at.is_repeated(segment)) return &path;
      at = at.find(segment);
    }
  }
  return nullptr;
}

std::string PartitionKey::to_json() const {
  std::string out = "[";
  for (const PartitionKeyComponent& component : components) {
    if (out.size() > 1) out += ',';
    append_component_json(out, component);
  }
  return out + "]";
}

void PartitionKey::append_key_form(std::string& out) const {
  for (const PartitionKeyComponent& component : components) append_component_key_form(out, component);
  out += kKeyFormEnd;
}

}  // namespace partita

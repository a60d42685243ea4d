#include "query/function/function.h"

#include "query/function/function_list.h"
#include "query/function/groups.h"
#include "query/value/text.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace partita::query {
namespace {

constexpr Function kAggregates[] = {
    {.name = "AVG", .arguments_min = 1, .arguments_max = 1, .body = nullptr, .aggregate = AggregateKind::kAverage},
    {.name = "COUNT", .arguments_min = 1, .arguments_max = 1, .body = nullptr, .aggregate = AggregateKind::kCount},
    {.name = "COUNTIF", .arguments_min = 1, .arguments_max = 1, .body = nullptr, .aggregate = AggregateKind::kCountIf},
    {.name = "MAX", .arguments_min = 1, .arguments_max = 1, .body = nullptr, .aggregate = AggregateKind::kMax},
    {.name = "MIN", .arguments_min = 1, .arguments_max = 1, .body = nullptr, .aggregate = AggregateKind::kMin},
    {.name = "SUM", .arguments_min = 1, .arguments_max = 1, .body = nullptr, .aggregate = AggregateKind::kSum},
    {.name = "MAKELIST", .arguments_min = 1, .arguments_max = 1, .body = nullptr, .aggregate = AggregateKind::kMakeList},
    {.name = "MAKESET", .arguments_min = 1, .arguments_max = 1, .body = nullptr, .aggregate = AggregateKind::kMakeSet},
};

std::string upper(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return out;
}

using Directory = std::unordered_map<std::string_view, const Function*>;

Directory make_directory() {
  Directory directory;
  for (std::span<const Function> group :
       {std::span<const Function>(kAggregates), math_functions(), bucket_functions(), integer_functions(), string_functions(),
        string_search_functions(), regex_functions(), conversion_functions(), array_functions(), array_statistics_functions(),
        set_functions(), type_functions(), date_functions(), date_part_functions(), item_functions(), spatial_functions(),
        vector_functions(), full_text_functions()}) {
    for (const Function& function : group) directory.emplace(function.name, &function);
  }
  return directory;
}

const Directory& directory() {
  static const Directory kDirectory = make_directory();
  return kDirectory;
}

}  // namespace

const Function* find_function(std::string_view name) {
  const auto found = directory().find(upper(name));
  return found == directory().end() ? nullptr : found->second;
}

std::span<const Function* const> all_functions() {
  static const std::vector<const Function*> kSorted = [] {
    std::vector<const Function*> sorted;
    for (const auto& [name, function] : directory()) sorted.push_back(function);
    std::ranges::sort(sorted, {}, &Function::name);
    return sorted;
  }();
  return kSorted;
}

std::string signature(const Function& function) {
  constexpr int kNamedMax = 6;
  const bool is_unbounded = function.arguments_max == Function::kUnbounded;
  const int named = std::min(is_unbounded ? function.arguments_min : function.arguments_max, kNamedMax);
  std::string out = std::string(function.name) + "(";
  for (int i = 0; i < named; ++i) {
    const bool is_optional = i >= function.arguments_min;
    out += is_optional ? (i == 0 ? "[" : " [, ") : (i == 0 ? "" : ", ");
    out += static_cast<char>('a' + i);
    if (is_optional) out += "]";
  }
  if (is_unbounded || named < function.arguments_max) out += named == 0 ? "..." : ", ...";
  return out + ")";
}

Datum FunctionContext::string(std::string_view utf8) {
  std::string_view copied = arena_.copy(utf8);
  return arena_.is_exhausted() ? Datum() : Datum::string(copied);
}

Datum FunctionContext::integer(int64_t value) {
  constexpr int64_t kExactInDouble = int64_t{1} << 53;
  if (value >= -kExactInDouble && value <= kExactInDouble) return Datum::number(static_cast<double>(value));
  StoredWriter& out = writer();
  out.integer(value);
  return stored(out);
}

Datum FunctionContext::stored(const StoredWriter& writer) {
  std::string_view copied = arena_.copy(writer.bytes());
  return arena_.is_exhausted() ? Datum() : Datum::of(Value::view(copied));
}

Datum FunctionContext::copy(const Datum& value) {
  if (value.payload_bytes() == 0) return value;
  if (value.is_string()) return string(value.string());
  StoredWriter& out = writer();
  value.write_to(out);
  return stored(out);
}

Datum FunctionContext::concatenation(std::span<const Datum> strings) {
  size_t bytes = 0;
  bool has_split_pair = false;
  for (size_t i = 0; i < strings.size(); ++i) {
    if (!strings[i].is_string()) return {};
    bytes += strings[i].string().size();
    has_split_pair = has_split_pair || (i > 0 && is_split_pair(strings[i - 1].string(), strings[i].string()));
  }
  char* at = arena_.allocate(bytes);
  if (at == nullptr) return {};
  char* end = at;
  for (const Datum& part : strings) end = std::ranges::copy(part.string(), end).out;
  std::string_view text(at, bytes);
  return has_split_pair ? string(from_utf16(to_utf16(text))) : Datum::string(text);
}

StoredWriter& FunctionContext::writer() {
  writer_.clear();
  return writer_;
}

}  // namespace partita::query

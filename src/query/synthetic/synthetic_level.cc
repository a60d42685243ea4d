#include "query/synthetic/synthetic_level.h"

#include "query/execute/evaluator.h"
#include "query/optimise/step_clock.h"
#include "query/synthetic/level_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace partita::query {
namespace {

// Of all that is computed on the way to a value, and how often what takes long may ask for the time.
constexpr size_t kComputedBytesMax = 64 << 10;
constexpr int64_t kLooksMax = 1'000;

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

Datum datum_of(const PartitionKeyComponent& component) {
  return std::visit(
      Overloaded{[](UndefinedKey) { return Datum(); }, [](NullKey) { return Datum::null(); },
                 [](bool boolean) { return Datum::boolean(boolean); }, [](double number) { return Datum::number(number); },
                 [](const std::string& text) { return Datum::string(text); }},
      component);
}

PartitionKeyComponent component_of(const Datum& value) {
  switch (value.type()) {
    case ValueType::kNull: return NullKey{};
    case ValueType::kBool: return value.boolean();
    case ValueType::kNumber: return value.number() + 0.0;  // -0.0 is 0
    case ValueType::kString: return std::string(value.string());
    default: return UndefinedKey{};
  }
}

// A decimal number without leading zero, from 1 to n.
std::optional<uint32_t> bucket_in(std::string_view text, uint32_t buckets) {
  uint32_t bucket = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bucket);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && !text.starts_with('0');
  return is_number && bucket >= 1 && bucket <= buckets ? std::optional(bucket) : std::nullopt;
}

}  // namespace

Result<SyntheticLevel> SyntheticLevel::parse(std::string_view name, std::string_view text,
                                             const std::set<std::string_view>& forbidden) {
  SyntheticLevel level;
  level.name_ = name;
  level.text_ = text;
  Compiler compiler(name, text, forbidden);
  TRY_ASSIGN(level.exact_, compiler.compile(false));
  if (compiler.can_spread_hash()) {
    TRY_ASSIGN(level.spread_, compiler.compile(true));
  }
  level.sources_ = compiler.take_sources();
  return level;
}

std::optional<uint32_t> SyntheticLevel::random_buckets() const { return exact_.buckets; }

std::vector<PartitionKeyComponent> SyntheticLevel::sources_in(const Value& document) const {
  std::vector<PartitionKeyComponent> all;
  all.reserve(sources_.size());
  for (const DocumentPath& path : sources_) all.push_back(component_of(Datum::of(path.resolve(document))));
  return all;
}

Result<PartitionKeyComponent> SyntheticLevel::evaluate_with(const Expression& expression,
                                                            std::span<const PartitionKeyComponent> sources,
                                                            std::optional<uint32_t> bucket) {
  static thread_local Random unused(0);  // the bucket comes from outside; making one takes microseconds
  const StepClock clock;
  const Environment environment{
      .clock = clock, .random = unused, .deadline_steady_us = kLooksMax, .row_bytes_max = kComputedBytesMax};
  Execution execution(environment, static_cast<uint32_t>(sources.size()) + 1);
  for (uint32_t i = 0; i < sources.size(); ++i) execution.slot(i) = datum_of(sources[i]);
  if (bucket) execution.slot(static_cast<uint32_t>(sources.size())) = Datum::number(*bucket);
  PartitionKeyComponent value = component_of(evaluate(expression.scalar, execution));
  const std::string* text = std::get_if<std::string>(&value);
  if (execution.keep_going() && (text == nullptr || text->size() <= kSyntheticValueBytesMax)) return value;
  return fail(ErrorCode::kInvalidInput,
              fmt::format("The value that is computed for the partition key is too large: the limit is {} bytes.",
                          kSyntheticValueBytesMax));
}

Result<PartitionKeyComponent> SyntheticLevel::value(std::span<const PartitionKeyComponent> sources,
                                                    std::optional<uint32_t> bucket) const {
  return evaluate_with(exact_, sources, bucket);
}

// Two buckets of one digit show where the bucket is.
Result<std::optional<SyntheticLevel::Pattern>> SyntheticLevel::pattern_of(const Expression& expression,
                                                                          std::span<const PartitionKeyComponent> sources) {
  TRY_ASSIGN(const PartitionKeyComponent first, evaluate_with(expression, sources, 1));
  TRY_ASSIGN(const PartitionKeyComponent second, evaluate_with(expression, sources, 2));
  if (std::holds_alternative<double>(first)) return Pattern{.before = {}, .after = {}, .is_number = true};
  const std::string* one = std::get_if<std::string>(&first);
  const std::string* two = std::get_if<std::string>(&second);
  if (one == nullptr || two == nullptr) return std::nullopt;
  const auto at = static_cast<size_t>(std::ranges::mismatch(*one, *two).in1 - one->begin());
  return Pattern{.before = one->substr(0, at), .after = one->substr(at + 1), .is_number = false};
}

Result<bool> SyntheticLevel::can_give(std::span<const PartitionKeyComponent> sources, const PartitionKeyComponent& value) const {
  TRY_ASSIGN(const std::optional<Pattern> pattern, pattern_of(exact_, sources));
  if (!pattern) return false;
  if (const double* number = std::get_if<double>(&value)) {
    return pattern->is_number && *number == std::floor(*number) && *number >= 1 && *number <= *exact_.buckets;
  }
  const std::string* text = std::get_if<std::string>(&value);
  if (text == nullptr || pattern->is_number || text->size() <= pattern->before.size() + pattern->after.size()) return false;
  if (!text->starts_with(pattern->before) || !text->ends_with(pattern->after)) return false;
  const std::string_view middle =
      std::string_view(*text).substr(pattern->before.size(), text->size() - pattern->before.size() - pattern->after.size());
  return bucket_in(middle, *exact_.buckets).has_value();
}

std::optional<std::vector<PartitionKeyComponent>> SyntheticLevel::candidates(std::span<const Known> known,
                                                                             size_t values_max) const {
  const auto knows_all = [&](const Expression& expression) {
    for (size_t i = 0; i < known.size(); ++i) {
      if (expression.uses_source[i] && !known[i]) return false;
    }
    return true;
  };
  const bool is_exact = knows_all(exact_);
  const Expression* expression = is_exact ? &exact_ : (spread_ && knows_all(*spread_) ? &*spread_ : nullptr);
  if (expression == nullptr || expression->buckets.value_or(1) + (expression->may_lack_bucket ? 1 : 0) > values_max) {
    return std::nullopt;
  }
  std::vector<PartitionKeyComponent> sources;
  for (const Known& source : known) sources.push_back(source.value_or(UndefinedKey{}));
  std::vector<PartitionKeyComponent> values;
  if (!expression->buckets || expression->may_lack_bucket) {
    const Result<PartitionKeyComponent> value = evaluate_with(*expression, sources, std::nullopt);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  if (!expression->buckets) return values;
  const Result<std::optional<Pattern>> pattern = pattern_of(*expression, sources);
  if (!pattern) return std::nullopt;
  if (!*pattern) {
    values.emplace_back(UndefinedKey{});  // whatever the bucket is
    return values;
  }
  for (uint32_t bucket = 1; bucket <= *expression->buckets; ++bucket) {
    if ((*pattern)->is_number) values.emplace_back(static_cast<double>(bucket));
    if (!(*pattern)->is_number) values.emplace_back(fmt::format("{}{}{}", (*pattern)->before, bucket, (*pattern)->after));
  }
  return values;
}

}  // namespace partita::query

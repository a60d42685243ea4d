#include "tools/bench/load/placeholder.h"

#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>

namespace partita::tools::bench {
namespace {

constexpr uint64_t kLettersMax = 1'000'000;
constexpr uint64_t kZipfItemsMax = 10'000'000;
constexpr int64_t kIntegerMax = int64_t{1} << 53;  // beyond it JSON numbers lose digits
constexpr int kDigitsMax = 15;
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";  // 32: five bits each

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = text.find_first_not_of(' '); at != std::string_view::npos; at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

template <typename T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// Of a day such as 2026-03-01, its first second.
std::optional<int64_t> day_in(std::string_view text) {
  constexpr size_t kBytes = std::string_view("2026-03-01").size();
  if (text.size() != kBytes || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number_in<unsigned>(text.substr(0, 4));
  const auto month = number_in<unsigned>(text.substr(5, 2));
  const auto day = number_in<unsigned>(text.substr(8));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::sys_days(date)).time_since_epoch().count();
}

void append_date(std::string& out, int64_t seconds) {
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                 clock.minutes().count(), clock.seconds().count());
}

}  // namespace

void append_letters(std::string& out, uint64_t count, RandomSource& random) {
  constexpr int kBits = 5;
  uint64_t bits = 0;
  int left = 0;
  for (uint64_t i = 0; i < count; ++i, left -= kBits, bits >>= kBits) {
    if (left < kBits) {
      bits = random.next();
      left = 64;
    }
    out += kLetters[bits & 31];
  }
}

namespace {

uint64_t between(RandomSource& random, uint64_t least, uint64_t most) { return least + random.below(most - least + 1); }

}  // namespace

// Reader: the arguments of one placeholder.
struct Placeholder::Reader {
  std::string_view text;
  std::vector<std::string_view> words;  // the name first

  std::unexpected<Error> refuse(std::string_view why) const {
    return fail(ErrorCode::kInvalidInput, fmt::format("the placeholder {{{{{}}}}} {}", text, why));
  }

  size_t arguments() const { return words.size() - 1; }

  template <typename T>
  std::optional<T> argument(size_t index) const {
    return index < arguments() ? number_in<T>(words[index + 1]) : std::nullopt;
  }

  template <typename T>
  Result<Placeholder> plain(T what, bool is_bare) const {
    if (arguments() != 0) return refuse("takes no arguments");
    return Placeholder(what, is_bare);
  }

  Result<Placeholder> sequence() const {
    const auto first = arguments() > 0 ? argument<int64_t>(0) : int64_t{0};
    const auto step = arguments() > 1 ? argument<int64_t>(1) : int64_t{1};
    const auto is_large = [](int64_t number) { return number > kIntegerMax || number < -kIntegerMax; };
    if (arguments() > 2 || !first || !step || is_large(*first) || is_large(*step)) {
      return refuse("takes a first number and a step, such as {{sequence 100 10}}");
    }
    return Placeholder(Sequence{*first, *step}, true);
  }

  Result<Placeholder> letters() const {
    const auto least = argument<uint64_t>(0);
    const auto most = arguments() > 1 ? argument<uint64_t>(1) : least;
    if (arguments() > 2 || !least || !most || *least > *most || *most > kLettersMax) {
      return refuse("takes one or two lengths up to 1000000, such as {{string 8}} or {{string 8 20}}");
    }
    return Placeholder(Letters{*least, *most}, false);
  }

  Result<Placeholder> integer() const {
    const auto least = argument<int64_t>(0);
    const auto most = argument<int64_t>(1);
    if (arguments() != 2 || !least || !most || *least > *most || *least < -kIntegerMax || *most > kIntegerMax) {
      return refuse("takes the least and the greatest number, such as {{integer 1 100}}");
    }
    return Placeholder(Integer{*least, *most}, true);
  }

  Result<Placeholder> decimal() const {
    constexpr double kLimit = 1e15;
    const auto least = argument<double>(0);
    const auto most = argument<double>(1);
    const auto digits = arguments() > 2 ? argument<int>(2) : 2;
    const bool is_sound = least && most && digits && std::abs(*least) <= kLimit && std::abs(*most) <= kLimit && *least <= *most &&
                          *digits >= 0 && *digits <= kDigitsMax;
    if (arguments() > 3 || !is_sound) {
      return refuse("takes the least and the greatest number and how many decimals, such as {{decimal -20 40 1}}");
    }
    return Placeholder(Decimal{*least, *most, *digits}, true);
  }

  Result<Placeholder> date() const {
    const auto from = arguments() == 2 ? day_in(words[1]) : std::nullopt;
    const auto to = arguments() == 2 ? day_in(words[2]) : std::nullopt;
    if (!from || !to || *from >= *to) return refuse("takes two days, such as {{date 2025-01-01 2026-01-01}}");
    return Placeholder(Date{*from, *to}, false);
  }

  Result<Placeholder> choice() const {
    if (arguments() == 0) return refuse("takes the values to choose from, such as {{choice red green blue}}");
    Choice choice;
    for (size_t i = 1; i < words.size(); ++i) {
      std::string literal;
      append_json_string(literal, words[i]);
      choice.values.push_back(literal.substr(1, literal.size() - 2));
    }
    return Placeholder(std::move(choice), false);
  }

  Result<Placeholder> skewed() const {
    const auto items = argument<uint64_t>(0);
    const auto exponent = arguments() > 1 ? argument<double>(1) : kZipfExponent;
    const bool is_sound =
        items && *items > 0 && *items <= kZipfItemsMax && exponent && *exponent >= 0 && *exponent <= kZipfExponentMax;
    if (arguments() > 2 || !is_sound) {
      return refuse("takes how many numbers there are, up to 10000000, and an exponent below 1, such as {{zipf 1000 0.99}}");
    }
    return Placeholder(Skewed{Zipf(*items, *exponent)}, true);
  }

  Result<Placeholder> read() const {
    const std::string_view name = words.empty() ? "" : words.front();
    if (name == "id") return plain(Id{}, false);
    if (name == "key") return plain(Key{}, false);
    if (name == "number") return plain(Number{}, true);
    if (name == "padding") return plain(Padding{}, false);
    if (name == "uuid") return plain(Uuid{}, false);
    if (name == "boolean") return plain(Boolean{}, true);
    if (name == "sequence") return sequence();
    if (name == "string") return letters();
    if (name == "integer") return integer();
    if (name == "decimal") return decimal();
    if (name == "date") return date();
    if (name == "choice") return choice();
    if (name == "zipf") return skewed();
    return refuse(
        "is unknown; there are id, key, number, sequence, string, integer, decimal, boolean, date, choice, zipf, uuid and "
        "padding");
  }
};

Result<Placeholder> Placeholder::parse(std::string_view text) { return Reader{text, words_of(text)}.read(); }

bool Placeholder::is_unique() const {
  const auto* sequence = std::get_if<Sequence>(&what_);
  return std::holds_alternative<Id>(what_) || std::holds_alternative<Number>(what_) || std::holds_alternative<Uuid>(what_) ||
         (sequence != nullptr && sequence->step != 0);
}

// Printer: the values of one placeholder, by its kind.
struct Placeholder::Printer {
  std::string& out;
  const Subject& subject;
  RandomSource random;

  auto to() const { return std::back_inserter(out); }

  void operator()(const Id&) const { out += id_of(subject); }
  void operator()(const Key&) const { fmt::format_to(to(), "key-{:08}", subject.number / subject.documents_per_key); }
  void operator()(const Number&) const { fmt::format_to(to(), "{}", subject.number); }
  void operator()(const Padding&) const {}
  void operator()(const Uuid&) {
    const uint64_t high = random.next();
    const uint64_t low = random.next();
    fmt::format_to(to(), "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xFFFF, high & 0xFFF,
                   0x8000 | (low >> 48 & 0x3FFF), low & 0xFFFF'FFFF'FFFF);
  }
  void operator()(const Boolean&) { out += random.below(2) == 0 ? "false" : "true"; }
  void operator()(const Sequence& sequence) const {
    // Wraps around like the numbers of a database that runs out of them.
    const uint64_t value = static_cast<uint64_t>(sequence.first) + subject.number * static_cast<uint64_t>(sequence.step);
    fmt::format_to(to(), "{}", static_cast<int64_t>(value));
  }
  void operator()(const Letters& letters) { append_letters(out, between(random, letters.least, letters.most), random); }
  void operator()(const Integer& integer) {
    const uint64_t width = static_cast<uint64_t>(integer.most) - static_cast<uint64_t>(integer.least);
    fmt::format_to(to(), "{}", integer.least + static_cast<int64_t>(random.below(width + 1)));
  }
  void operator()(const Decimal& decimal) {
    fmt::format_to(to(), "{:.{}f}", decimal.least + (decimal.most - decimal.least) * random.unit(), decimal.digits);
  }
  void operator()(const Date& date) {
    append_date(out, date.from + static_cast<int64_t>(random.below(static_cast<uint64_t>(date.to - date.from))));
  }
  void operator()(const Choice& choice) { out += choice.values[random.below(choice.values.size())]; }
  void operator()(const Skewed& skewed) { fmt::format_to(to(), "{}", skewed.ranks.draw(random)); }
};

void Placeholder::append_text(std::string& out, const Subject& subject, uint64_t place) const {
  const uint64_t seed = mix(subject.seed ^ mix(subject.number ^ mix(subject.version ^ mix(place + 1))));
  std::visit(Printer{out, subject, RandomSource(seed)}, what_);
}

std::string id_of(const Subject& subject) { return fmt::format("{}{:010}", subject.id_prefix, subject.number); }

}  // namespace partita::tools::bench

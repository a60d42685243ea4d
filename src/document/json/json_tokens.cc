#include "document/json/json_tokens.h"

#include "document/json/utf8.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

namespace partita {

namespace {

constexpr size_t kSmallestCapacity = 4096;
constexpr size_t kKeptCapacityMax = size_t{256} << 10;

// Quotes and control characters, read one byte after the other as the first stage does it 64 at a time.
JsonFault find_string_fault(std::string_view text) {
  size_t opened = std::string_view::npos;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      opened = opened == std::string_view::npos ? at : std::string_view::npos;
    } else if (opened != std::string_view::npos && static_cast<uint8_t>(text[at]) < 0x20) {
      return {at, fmt::format("a control character (0x{:02X}) inside a string must be escaped", static_cast<uint8_t>(text[at]))};
    }
  }
  if (opened != std::string_view::npos) return {opened, "a string that is not closed"};
  return {0, "not a JSON text"};
}

JsonFault describe(simdjson::error_code error, std::string_view text) {
  if (error == simdjson::EMPTY) return {text.size(), "expected a value, found the end of the text"};
  if (error == simdjson::CAPACITY || error == simdjson::MEMALLOC) return {0, "the text is too large"};
  const size_t well_formed = well_formed_utf8_bytes(text, Surrogates::kRejected);
  if (well_formed < text.size()) return {well_formed, "the text is not UTF-8"};
  return find_string_fault(text);
}

}  // namespace

JsonTokenizer::JsonTokenizer() : parser_(std::make_unique<simdjson::dom::parser>()) {}
JsonTokenizer::~JsonTokenizer() = default;

std::optional<JsonFault> JsonTokenizer::tokenize(std::string_view text) {
  if (text.empty()) return describe(simdjson::EMPTY, text);
  if (parser_->capacity() < text.size()) {
    const size_t capacity = std::max({kSmallestCapacity, text.size(), parser_->capacity() * 2});
    if (const auto error = parser_->allocate(capacity)) return describe(error, text);
  }
  const auto error =
      parser_->implementation->stage1(reinterpret_cast<const uint8_t*>(text.data()), text.size(), simdjson::stage1_mode::regular);
  if (error) return describe(error, text);
  return std::nullopt;
}

std::span<const uint32_t> JsonTokenizer::starts() const {
  return {parser_->implementation->structural_indexes.get(), parser_->implementation->n_structural_indexes};
}

void JsonTokenizer::shrink() {
  if (parser_->capacity() > kKeptCapacityMax) *parser_ = simdjson::dom::parser();
}

}  // namespace partita

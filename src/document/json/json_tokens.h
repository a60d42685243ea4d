#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace simdjson::dom {
class parser;
}

namespace partita {

struct JsonFault {
  size_t offset;
  std::string what;
};

// JsonTokenizer: finds where each token of a JSON text begins, with simdjson's first stage.
//
// That stage also proves that the text is UTF-8, that all strings are closed and that none contains a bare control character.
// Its kernel is chosen for the processor at run time. Not thread-safe; keeps memory between texts.
class JsonTokenizer {
 public:
  JsonTokenizer();
  ~JsonTokenizer();
  JsonTokenizer(const JsonTokenizer&) = delete;
  JsonTokenizer& operator=(const JsonTokenizer&) = delete;

  std::optional<JsonFault> tokenize(std::string_view text);
  // Offsets of { } [ ] : , of opening quotes, and of the first byte of anything else. Valid until the next text.
  std::span<const uint32_t> starts() const;
  // Gives back what a large text needed.
  void shrink();

 private:
  std::unique_ptr<simdjson::dom::parser> parser_;
};

}  // namespace partita

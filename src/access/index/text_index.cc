#include "access/index/text_index.h"

#include "access/reading_time.h"
#include "base/bytes.h"
#include "engine/index/index_reader.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace partita {
namespace {

using Numbers = std::vector<DocumentNumber>;
using Positions = std::vector<uint32_t>;

// A word of a text: where it is.
struct Occurrence {
  DocumentNumber number;
  Positions positions;
};

// TextReader: the words of the texts at one path. Not thread-safe.
class TextReader {
 public:
  TextReader(const query::TextSearch& search, const PartitionView& view, const std::optional<Numbers>& among,
             const query::Environment& environment)
      : path_(search.path.words()), index_(view.slice, view.at), among_(among), time_(environment) {}

  // How many words the texts have.
  Result<double> lengths() {
    double words = 0;
    TRY(each_entry({}, [&](DocumentNumber, std::string_view payload) { words += load_little_endian<uint32_t>(payload.data()); }));
    return words;
  }

  // The texts in which the words of the phrase follow each other.
  Result<Numbers> find(const WordList& phrase) {
    std::vector<Occurrence> found;
    for (size_t i = 0; i < phrase.size(); ++i) {
      TRY_ASSIGN(std::vector<Occurrence> word, occurrences(phrase[i], phrase.size() > 1));
      found = i == 0 ? std::move(word) : followed_by(found, word, static_cast<uint32_t>(i));
      if (found.empty()) break;
    }
    Numbers numbers;
    for (const Occurrence& occurrence : found) numbers.push_back(occurrence.number);
    return numbers;
  }

  uint64_t entries_read() const { return entries_read_; }

 private:
  template <typename Found>
  Status each_entry(std::string_view word, Found found) {
    std::string key_form;
    append_key_form_string(key_form, word);
    IndexCursor cursor = index_.entries(path_, {key_form, key_form + '\xff'});
    Numbers::const_iterator wanted;
    if (among_) wanted = among_->begin();
    for (cursor.seek_first(); cursor.valid();) {
      ++entries_read_;
      if (time_.is_over()) return ReadingTime::failure();
      if (among_) {
        wanted = std::lower_bound(wanted, among_->end(), cursor.number());
        if (wanted == among_->end()) return {};
        if (*wanted != cursor.number()) {
          cursor.seek(key_form, *wanted);
          continue;
        }
      }
      if (cursor.payload().size() < sizeof(uint32_t)) return fail(ErrorCode::kCorruption, "a word has no position in its text");
      found(cursor.number(), cursor.payload());
      cursor.next();
    }
    return cursor.status();
  }

  Result<std::vector<Occurrence>> occurrences(std::string_view word, bool with_positions) {
    std::vector<Occurrence> occurrences;
    TRY(each_entry(word, [&](DocumentNumber number, std::string_view payload) {
      Positions positions;
      for (size_t at = 0; with_positions && at + sizeof(uint32_t) <= payload.size(); at += sizeof(uint32_t)) {
        positions.push_back(load_little_endian<uint32_t>(payload.data() + at));
      }
      occurrences.push_back({number, std::move(positions)});
    }));
    return occurrences;
  }

  // Of places where phrases begin, those where the word comes so many words later.
  static std::vector<Occurrence> followed_by(const std::vector<Occurrence>& begun, const std::vector<Occurrence>& word,
                                             uint32_t later) {
    std::vector<Occurrence> found;
    auto at = word.begin();
    for (const Occurrence& beginning : begun) {
      while (at != word.end() && at->number < beginning.number) ++at;
      if (at == word.end()) break;
      if (at->number != beginning.number) continue;
      Positions positions;
      std::ranges::copy_if(beginning.positions, std::back_inserter(positions),
                           [&](uint32_t position) { return std::ranges::binary_search(at->positions, position + later); });
      if (!positions.empty()) found.push_back({beginning.number, std::move(positions)});
    }
    return found;
  }

  const ValuePath path_;
  const IndexReader index_;
  const std::optional<Numbers>& among_;
  ReadingTime time_;
  uint64_t entries_read_ = 0;
};

}  // namespace

Result<FoundTexts> find_texts(const query::TextSearch& search, const PartitionView& view, const std::optional<Numbers>& among,
                              const query::Environment& environment) {
  FoundTexts found;
  TextReader reader(search, view, among, environment);
  found.statistics.texts = static_cast<double>(among ? among->size() : view.documents);
  TRY_ASSIGN(found.statistics.words, reader.lengths());
  for (const WordList& phrase : search.phrases) {
    TRY_ASSIGN(const Numbers numbers, reader.find(phrase));
    found.statistics.hits.push_back(static_cast<double>(numbers.size()));
    Numbers all;
    std::ranges::set_union(found.numbers, numbers, std::back_inserter(all));
    found.numbers = std::move(all);
  }
  found.entries_read = reader.entries_read();
  return found;
}

}  // namespace partita

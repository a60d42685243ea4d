#include "engine/index/index_terms.h"

#include "base/bytes.h"
#include "document/key/key_form.h"
#include "search/vectors.h"
#include "search/words.h"

#include <algorithm>
#include <bitset>
#include <map>

namespace partita {
namespace {

constexpr uint64_t kFnvPrime = 0x100000001B3ULL;
constexpr uint8_t kPropertyStep = 0;
constexpr uint8_t kElementStep = 1;
constexpr uint8_t kCellsStep = 2;
constexpr uint8_t kWordsStep = 3;
constexpr uint8_t kVectorStep = 4;

uint64_t mix_byte(uint64_t state, uint8_t byte) { return (state ^ byte) * kFnvPrime; }

// Values in key form one after the other; bytes of descending ones are inverted. Every document has one.
std::string composite_key(const Value& document, const CompositeIndex& index, ValueOrder order) {
  std::string key;
  for (const CompositeIndex::Part& part : index.parts) {
    const size_t start = key.size();
    append_key_form(key, value_at(document, part.path.steps), order);
    if (part.is_descending == index.parts.front().is_descending) continue;
    for (size_t i = start; i < key.size(); ++i) key[i] = static_cast<char>(~key[i]);
  }
  return key;
}

// Walks the document and the tree of declared paths together, and gives every value that is included to `found`. `node` is null
// where no declared path goes further; then `is_included` holds for the whole rest.
template <typename Found>
class IncludedValues {
 public:
  explicit IncludedValues(Found found) : found_(std::move(found)) {}

  // A document that is no object has no paths.
  void root(const Value& document, const PathTree& node, const DocumentForm& form) {
    if (!document.is_object()) return;
    const bool is_included = node.is_subtree_included.value_or(false);
    for_each_member(PathHash(), document, [&](PathHash path, const Value::Member& member) {
      if (!form.is_never_indexed(member.key)) property(path, member, &node, is_included);
    });
  }

 private:
  // `path` is that of the member.
  void property(PathHash path, const Value::Member& member, const PathTree* node, bool is_included) {
    const PathTree* next = nullptr;
    if (node != nullptr) {
      const auto found = node->properties.find(member.key);
      if (found != node->properties.end()) next = found->second.get();
    }
    visit(path, member.value, next, is_included);
  }

  // Calls with the path of every member and the member; of several with one key only with the last, which find() sees too.
  static void for_each_member(PathHash owner, const Value& object, const auto& call) {
    std::bitset<256> seen;  // by a part of the path's hash; the last member comes first
    for (size_t i = object.size(); i-- > 0;) {
      const Value::Member member = object.member(i);
      const PathHash path = owner.property(member.key);
      const size_t mark = path.value() % seen.size();
      if (seen[mark] && object.find(member.key).bytes().data() != member.value.bytes().data()) continue;
      seen[mark] = true;
      call(path, member);
    }
  }

  void visit(PathHash path, const Value& value, const PathTree* node, bool is_included) {
    if (node == nullptr && !is_included) return;
    bool is_exact_included = is_included;
    if (node != nullptr) {
      is_included = node->is_subtree_included.value_or(is_included);
      is_exact_included = node->is_exact_included.value_or(is_included);
    }
    if (is_exact_included) found_(path, value, array_depth_ > 0);
    if (value.is_object()) {
      for_each_member(path, value, [&](PathHash member_path, const Value::Member& member) {
        property(member_path, member, node, is_included);
      });
    } else if (value.is_array()) {
      const PathHash element_path = path.element();
      const PathTree* elements = node == nullptr ? nullptr : node->elements.get();
      ++array_depth_;
      for (size_t i = 0; i < value.size(); ++i) visit(element_path, value.element(i), elements, is_included);
      --array_depth_;
    }
  }

  Found found_;
  int array_depth_ = 0;
};

void add_cells(const SpatialPaths& spatial, PathHash path, const Value& value, TermList& terms) {
  if (!value.is_object() || !value.find("coordinates").is_array()) return;
  const auto shape = Shape::parse(value, spatial.space);
  if (!shape) return;
  for (const CellNumber cell : shape->covering(spatial.box)) terms.add(path.cells(), cell);
}

// A row for every word, with its positions, and one of the empty word with the length of the text: every text has that one.
void add_words(PathHash path, const Value& text, Language language, TermList& terms) {
  if (!text.is_string()) return;
  const WordList words = WordList::of(text.string(), language);
  std::map<std::string_view, std::string> positions;
  append_little_endian(positions[{}], static_cast<uint32_t>(words.length()));
  for (size_t i = 0; i < words.size(); ++i) append_little_endian(positions[words[i]], static_cast<uint32_t>(i));
  std::string key_form;
  for (const auto& [word, payload] : positions) {
    key_form.clear();
    append_key_form_string(key_form, word);
    terms.add(path.words(), key_form, payload);
  }
}

void add_vector(PathHash path, const Value& array, TermList& terms) {
  std::vector<float> vector;
  if (!read_vector(array, vector)) return;
  std::string kept;
  append_kept_vector(kept, vector);
  terms.add(path.vector(), {}, kept);
}

PathHash hash_of(const DocumentPath& path) { return PathHash::of(ValuePath::of(path.segments)); }

}  // namespace

PathHash PathHash::of(const ValuePath& path) {
  PathHash hash;
  for (const ValuePath::Step& step : path.steps) {
    switch (step.kind) {
      case ValuePath::Step::Kind::kProperty: hash = hash.property(step.property); break;
      case ValuePath::Step::Kind::kElement: hash = hash.element(); break;
      case ValuePath::Step::Kind::kCells: hash = hash.cells(); break;
      case ValuePath::Step::Kind::kWords: hash = hash.words(); break;
      case ValuePath::Step::Kind::kVector: hash = hash.vector(); break;
    }
  }
  return hash;
}

PathHash PathHash::property(std::string_view name) const {
  PathHash next;
  next.state_ = mix_byte(state_, kPropertyStep);
  for (size_t size = name.size(); size > 0; size >>= 8) next.state_ = mix_byte(next.state_, static_cast<uint8_t>(size));
  for (char c : name) next.state_ = mix_byte(next.state_, static_cast<uint8_t>(c));
  return next;
}

PathHash PathHash::step(uint8_t kind) const {
  PathHash next;
  next.state_ = mix_byte(state_, kind);
  return next;
}

PathHash PathHash::element() const { return step(kElementStep); }
PathHash PathHash::cells() const { return step(kCellsStep); }
PathHash PathHash::words() const { return step(kWordsStep); }
PathHash PathHash::vector() const { return step(kVectorStep); }

uint64_t PathHash::value() const {
  uint64_t hash = state_;
  hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDULL;
  hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53ULL;
  return hash ^ (hash >> 33);
}

void TermList::clear() {
  bytes_.clear();
  spans_.clear();
}

void TermList::add(PathHash path, const Value& value, ValueOrder order) {
  const size_t offset = bytes_.size();
  append_big_endian(bytes_, path.value());
  append_key_form(bytes_, value, order);
  end_term(offset);
}

void TermList::add(PathHash path, uint64_t number) {
  const size_t offset = bytes_.size();
  append_big_endian(bytes_, path.value());
  append_big_endian(bytes_, number);
  end_term(offset);
}

void TermList::end_term(size_t offset, std::string_view payload) {
  spans_.push_back(
      {static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes_.size() - offset), static_cast<uint32_t>(payload.size())});
  bytes_ += payload;
}

std::string_view TermList::payload(size_t index) const {
  return std::string_view(bytes_).substr(spans_[index].offset + spans_[index].size, spans_[index].payload_size);
}

void TermList::add(PathHash path, std::string_view bytes, std::string_view payload) {
  const size_t offset = bytes_.size();
  append_big_endian(bytes_, path.value());
  bytes_.append(bytes);
  end_term(offset, payload);
}

void TermList::sort() {
  const std::string_view all = bytes_;
  const auto text = [all](const Span& span) { return all.substr(span.offset, span.size); };
  std::ranges::sort(spans_, {}, text);
  const auto repeated = std::ranges::unique(spans_, {}, text);
  spans_.erase(repeated.begin(), repeated.end());
}

std::string_view TermList::operator[](size_t index) const {
  return std::string_view(bytes_).substr(spans_[index].offset, spans_[index].size);
}

void collect_terms(const Value& document, const IndexingPolicy& policy, TermList& terms) {
  terms.clear();
  const DocumentForm& form = policy.form();
  uint64_t shape = 0;  // a sum, so that the order of members does not matter
  IncludedValues([&](PathHash path, const Value& value, bool is_in_array) {
    terms.add(path, value, form.order);
    if (!is_in_array) shape += path.value();
  }).root(document, policy.paths(), form);
  terms.add(PathHash::of(shape_path()), shape);
  for (const CompositeIndex& index : policy.composite_indexes()) {
    if (has_entries(index, form)) terms.add(PathHash::of(composite_path(index)), composite_key(document, index, form.order));
  }
  if (const SpatialPaths* spatial = policy.spatial()) {
    const auto add = [&](PathHash path, const Value& value, bool) { add_cells(*spatial, path, value, terms); };
    IncludedValues(add).root(document, spatial->paths, form);
  }
  for (const auto& [path, language] : policy.full_text_paths()) {
    add_words(hash_of(path), path.resolve(document), language, terms);
  }
  for (const DocumentPath& path : policy.vector_paths()) add_vector(hash_of(path), path.resolve(document), terms);
  terms.sort();
}

Value value_at(Value document, std::span<const ValuePath::Step> steps) {
  for (const ValuePath::Step& step : steps) document = document.find(step.property);
  return document;
}

bool is_shape(std::string_view term) { return load_big_endian<uint64_t>(term.data()) == PathHash::of(shape_path()).value(); }

bool has_entries(const CompositeIndex& index, const DocumentForm& form) {
  return std::ranges::none_of(index.parts, [&](const CompositeIndex::Part& part) {
    return ValuePath{part.path.steps}.has_many_values() || form.is_never_indexed(part.path.steps.front().property);
  });
}

ValuePath composite_path(const CompositeIndex& index) {
  ValuePath path = ValuePath{}.element();
  for (const CompositeIndex::Part& part : index.parts) {
    for (const IndexPath::Step& step : part.path.steps) path.steps.push_back(step);
    path = path.element();
    if (part.is_descending != index.parts.front().is_descending) path = path.element();
  }
  return path;
}

}  // namespace partita

#include "tools/bench/load/document_template.h"

#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace partita::tools::bench {

const std::string_view kDefaultTemplate =
    R"({"id":"{{id}}","number":"{{number}}","name":"{{string 12}}","city":"{{choice Lisbon Nairobi Osaka Oslo Quito Utrecht}}",)"
    R"("score":"{{integer 0 999}}","temperature":"{{decimal -20 40 1}}","active":"{{boolean}}",)"
    R"("createdAt":"{{date 2025-01-01 2026-01-01}}","tags":["{{choice indoor outdoor}}","{{choice mains battery}}"],"note":"{{padding}}"})";

namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

// Calls for each text without placeholders and each placeholder.
Status for_each_part(std::string_view text, const std::function<void(std::string_view)>& on_text,
                     const std::function<void(Placeholder)>& on_placeholder) {
  while (!text.empty()) {
    const size_t open = text.find(kOpen);
    if (open != 0) on_text(text.substr(0, open));
    if (open == std::string_view::npos) return {};
    const size_t close = text.find(kClose, open);
    if (close == std::string_view::npos) {
      return fail(ErrorCode::kInvalidInput, fmt::format("the placeholder in '{}' is not closed with }}}}", text.substr(0, 100)));
    }
    const size_t first = open + kOpen.size();
    TRY_ASSIGN(Placeholder placeholder, Placeholder::parse(text.substr(first, close - first)));
    on_placeholder(std::move(placeholder));
    text.remove_prefix(close + kClose.size());
  }
  return {};
}

std::string escaped(std::string_view text) {
  std::string literal;
  append_json_string(literal, text);
  return literal.substr(1, literal.size() - 2);
}

}  // namespace

// Builder: goes through a template and collects its pieces. Nesting is bounded by that of JSON texts.
class DocumentTemplate::Builder {
 public:
  Builder(DocumentTemplate& out, const Terms& terms) : out_(out), terms_(terms) {}

  Status build(const Value& root) {
    text("{");
    TRY(members(root));
    if (out_.id_.is_empty()) TRY(add("id", "{{id}}", out_.id_));
    if (out_.key_.is_empty() && terms_.key_path.segments.size() == 1) {
      TRY(add(terms_.key_path.segments.front(), "{{key}}", out_.key_));
    }
    Part padding;
    if (terms_.document_bytes > 0 && paddings_ == 0) TRY(add("padding", "{{padding}}", padding));
    text("}");
    return check();
  }

 private:
  Status check() const {
    if (out_.key_.is_empty()) return refuse(fmt::format("lacks the partition key {}", terms_.key_path.text()));
    for (size_t i = 0; i < out_.pieces_.size(); ++i) {
      const std::optional<Placeholder>& placeholder = out_.pieces_[i].placeholder;
      const bool is_identity = out_.id_.has(i) || out_.key_.has(i);
      if (is_identity && placeholder && placeholder->is_padding()) return refuse("has {{padding}} in its id or partition key");
    }
    if (paddings_ > 1) return refuse("has {{padding}} more than once");
    const auto is_unique = [](const TemplatePiece& piece) { return piece.placeholder && piece.placeholder->is_unique(); };
    const auto begin = out_.pieces_.begin();
    const bool has_ids =
        std::any_of(begin + static_cast<ptrdiff_t>(out_.id_.first), begin + static_cast<ptrdiff_t>(out_.id_.last), is_unique);
    if (!has_ids) return refuse("gives several documents the same id; use {{id}}, {{number}}, {{sequence}} or {{uuid}} in it");
    return {};
  }

  static std::unexpected<Error> refuse(std::string_view why) {
    return fail(ErrorCode::kInvalidInput, fmt::format("the template {}", why));
  }

  void text(std::string_view more) {
    std::vector<TemplatePiece>& pieces = out_.pieces_;
    if (pieces.empty() || pieces.back().placeholder || begins_part_) pieces.push_back({});
    begins_part_ = false;
    pieces.back().text += more;
  }

  void placeholder(Placeholder placeholder) {
    if (placeholder.is_padding()) ++paddings_;
    text("");
    out_.pieces_.back().placeholder = std::move(placeholder);
  }

  Status string(std::string_view value, bool is_quoted) {
    const size_t open = value.find(kOpen);
    const bool is_whole = open == 0 && value.find(kClose) + kClose.size() == value.size();
    if (is_whole && !is_quoted) {
      TRY_ASSIGN(Placeholder whole, Placeholder::parse(value.substr(kOpen.size(), value.size() - kOpen.size() - kClose.size())));
      if (whole.is_bare()) {
        placeholder(std::move(whole));
        return {};
      }
    }
    text("\"");
    TRY(for_each_part(
        value, [this](std::string_view part) { text(escaped(part)); },
        [this](Placeholder part) { placeholder(std::move(part)); }));
    text("\"");
    return {};
  }

  Status value(const Value& value) {
    if (value.is_string()) return string(value.string(), path_ == std::vector<std::string>{"id"});
    if (value.is_object()) {
      text("{");
      TRY(members(value));
      text("}");
      return {};
    }
    if (value.is_array()) return elements(value);
    text(to_json(value));
    return {};
  }

  Status elements(const Value& array) {
    path_.emplace_back();  // no path of a partition key leads into an array
    text("[");
    for (size_t i = 0; i < array.size(); ++i) {
      if (i > 0) text(",");
      TRY(value(array.element(i)));
    }
    text("]");
    path_.pop_back();
    return {};
  }

  Status members(const Value& object) {
    for (size_t i = 0; i < object.size(); ++i) {
      const Value::Member member = object.member(i);
      if (i > 0) text(",");
      std::string name;
      append_json_string(name, member.key);
      text(name + ":");
      path_.emplace_back(member.key);
      TRY(member_value(member.value));
      path_.pop_back();
      has_members_ = true;
    }
    return {};
  }

  // The values of id and key are parts of their own.
  Status member_value(const Value& member) {
    const bool is_id = path_ == std::vector<std::string>{"id"};
    const bool is_key = path_ == terms_.key_path.segments;
    if (!is_id && !is_key) return value(member);
    if (member.is_object() || member.is_array() || (is_id && !member.is_string())) {
      return refuse(is_id ? "needs a string as id" : "has an object or an array as partition key; give it a string");
    }
    begins_part_ = true;
    const size_t first = out_.pieces_.size();
    TRY(value(member));
    const Part part{first, out_.pieces_.size()};
    begins_part_ = true;
    if (is_id) out_.id_ = part;
    if (is_key) out_.key_ = part;
    return {};
  }

  Status add(std::string_view name, std::string_view value, Part& part) {
    std::string literal;
    append_json_string(literal, name);
    text(fmt::format("{}{}:", has_members_ ? "," : "", literal));
    has_members_ = true;
    begins_part_ = true;
    const size_t first = out_.pieces_.size();
    TRY(string(value, true));
    part = {first, out_.pieces_.size()};
    begins_part_ = true;
    if (name == "id" && terms_.key_path.segments == std::vector<std::string>{"id"}) out_.key_ = part;
    return {};
  }

  DocumentTemplate& out_;
  const Terms& terms_;
  std::vector<std::string> path_;
  size_t paddings_ = 0;
  bool has_members_ = false;
  bool begins_part_ = false;  // what comes next is not part of the piece before
};

Result<DocumentTemplate> DocumentTemplate::parse(std::string_view json, const Terms& terms) {
  const auto refuse = [](std::string_view why) {
    return fail(ErrorCode::kInvalidInput, fmt::format("the template is not a JSON object: {}", why));
  };
  if (json.size() > kTemplateBytesMax) return refuse(fmt::format("it has more than {} bytes", kTemplateBytesMax));
  const Result<std::string> stored = stored_from_json(json);
  if (!stored) return refuse(stored.error().message);
  const Value root = Value::view(*stored);
  if (!root.is_object()) return refuse("it begins with something else");
  DocumentTemplate made;
  made.document_bytes_ = terms.document_bytes;
  TRY(Builder(made, terms).build(root));
  return made;
}

void DocumentTemplate::append_piece(std::string& out, size_t index, const Subject& subject) const {
  const TemplatePiece& piece = pieces_[index];
  out += piece.text;
  if (!piece.placeholder) return;
  Subject fixed = subject;
  if (id_.has(index) || key_.has(index)) fixed.version = 0;
  piece.placeholder->append_text(out, fixed, index);
}

void DocumentTemplate::append_document(std::string& out, const Subject& subject) const {
  const size_t start = out.size();
  size_t padding_at = std::string::npos;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    append_piece(out, i, subject);
    if (pieces_[i].placeholder && pieces_[i].placeholder->is_padding()) padding_at = out.size();
  }
  const size_t bytes = out.size() - start;
  if (padding_at == std::string::npos || bytes >= document_bytes_) return;
  RandomSource random(mix(subject.seed ^ mix(subject.number ^ mix(subject.version))));
  std::string padding;
  padding.reserve(document_bytes_ - bytes);
  append_letters(padding, document_bytes_ - bytes, random);
  out.insert(padding_at, padding);
}

std::string DocumentTemplate::text_of(const Part& part, const Subject& subject) const {
  std::string out;
  for (size_t i = part.first; i < part.last; ++i) append_piece(out, i, subject);
  return out;
}

std::string DocumentTemplate::key(const Subject& subject) const { return text_of(key_, subject); }

std::string DocumentTemplate::id(const Subject& subject) const {
  const std::string literal = text_of(id_, subject);
  if (!literal.contains('\\')) return literal.substr(1, literal.size() - 2);
  const Result<std::string> stored = stored_from_json(literal);
  return stored ? std::string(Value::view(*stored).string()) : literal;
}

Result<TextTemplate> TextTemplate::parse(std::string_view text) {
  TextTemplate made;
  TRY(for_each_part(
      text, [&](std::string_view part) { made.pieces_.push_back({std::string(part)}); },
      [&](Placeholder part) { made.pieces_.push_back({"", std::move(part)}); }));
  return made;
}

std::string TextTemplate::text(const Subject& subject) const {
  std::string out;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    out += pieces_[i].text;
    if (!pieces_[i].placeholder) continue;
    const bool is_quoted = !pieces_[i].placeholder->is_bare();
    if (is_quoted) out += '"';
    pieces_[i].placeholder->append_text(out, subject, i);
    if (is_quoted) out += '"';
  }
  return out;
}

}  // namespace partita::tools::bench

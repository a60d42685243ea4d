#include "protocols/cosmos/codec/resource_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/encodings.h"
#include "protocols/cosmos/codec/query_parameter.h"
#include "protocols/cosmos/codec/resource_id.h"

namespace partita::cosmos {
namespace {

// The grammar: which kinds live below which, and under what segment.
struct Child {
  ResourceKind owner;
  std::string_view segment;
  ResourceKind kind;
};
constexpr Child kChildren[] = {
    {ResourceKind::kAccount, "dbs", ResourceKind::kDatabase},
    {ResourceKind::kAccount, "offers", ResourceKind::kOffer},
    {ResourceKind::kAccount, "media", ResourceKind::kMedia},
    {ResourceKind::kAccount, "addresses", ResourceKind::kAddresses},
    {ResourceKind::kDatabase, "colls", ResourceKind::kContainer},
    {ResourceKind::kDatabase, "users", ResourceKind::kUser},
    {ResourceKind::kDatabase, "clientencryptionkeys", ResourceKind::kClientEncryptionKey},
    {ResourceKind::kUser, "permissions", ResourceKind::kPermission},
    {ResourceKind::kContainer, "docs", ResourceKind::kItem},
    {ResourceKind::kContainer, "sprocs", ResourceKind::kStoredProcedure},
    {ResourceKind::kContainer, "triggers", ResourceKind::kTrigger},
    {ResourceKind::kContainer, "udfs", ResourceKind::kUserDefinedFunction},
    {ResourceKind::kContainer, "conflicts", ResourceKind::kConflict},
    {ResourceKind::kContainer, "pkranges", ResourceKind::kPartitionKeyRange},
    {ResourceKind::kContainer, "schemas", ResourceKind::kSchema},
    {ResourceKind::kItem, "attachments", ResourceKind::kAttachment},
};
constexpr std::string_view kPartitionKeyDeleteSegments = "operations/partitionkeydelete";

std::string_view segment_of(ResourceKind kind) {
  const auto* child = std::ranges::find(kChildren, kind, &Child::kind);
  return child == std::end(kChildren) ? std::string_view() : child->segment;
}

std::string_view trim_slashes(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// Cuts the next segment off the front of `rest`.
std::string_view take_segment(std::string_view& rest) {
  const size_t end = std::min(rest.find('/'), rest.size());
  const std::string_view segment = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return segment;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

// Asked on every request, so what cannot be one is not parsed: four bytes are eight characters, the last two of them padding.
bool is_database_rid(std::string_view name) {
  return name.size() == 8 && name.ends_with("==") && parse_resource_id_as<DatabaseRid>(name).has_value();
}

}  // namespace

Result<ResourcePath> ResourcePath::parse(std::string_view path, std::string_view query) {
  TRY_ASSIGN(ResourcePath parsed, parse_segments(path));
  if (parsed.kind_ == ResourceKind::kAddresses) {
    TRY(parsed.parse_addresses(query));
  } else if (!query.empty() && !parsed.name().empty()) {
    std::forward_list<std::string> whole;
    whole.push_front(fmt::format("{}?{}", path, query));
    TRY_ASSIGN(parsed, parse_segments(whole.front()));
    parsed.kept_.splice_after(parsed.kept_.before_begin(), whole);
  }
  if (parsed.signed_resource_count_ == 0) parsed.spell_resource();
  return parsed;
}

Result<ResourcePath> ResourcePath::parse_segments(std::string_view path) {
  ResourcePath parsed;
  TRY(parsed.descend(trim_slashes(path)));
  parsed.is_resource_id_shaped_ = is_database_rid(parsed.database());
  return parsed;
}

Status ResourcePath::descend(std::string_view path) {
  std::string_view rest = path;
  raw_link_ = path;
  while (!rest.empty()) {
    if (take_operation(rest)) break;
    const std::string_view before = path.substr(0, path.size() - rest.size());
    const std::string_view segment = take_segment(rest);
    const auto* child = std::ranges::find_if(kChildren, [&](const Child& c) { return c.owner == kind_ && c.segment == segment; });
    if (child == std::end(kChildren)) {
      const bool has_children = std::ranges::find(kChildren, kind_, &Child::owner) != std::end(kChildren);
      return fail(has_children ? ErrorCode::kNotFound : ErrorCode::kInvalidInput,
                  fmt::format("The path '/{}' addresses nothing: '{}' is not a kind of resource {}.", path, segment,
                              before.empty() ? "of an account" : fmt::format("below '/{}'", trim_slashes(before))));
    }
    kind_ = child->kind;
    if (rest.empty()) {
      // The path has no slash at its end, so nothing followed: a feed, signed as its owner.
      is_feed_ = true;
      raw_link_ = trim_slashes(before);
      break;
    }
    const std::string_view raw_name = take_segment(rest);
    if (raw_name.empty()) return fail(ErrorCode::kInvalidInput, fmt::format("The path '/{}' has an empty segment.", path));
    TRY_ASSIGN(const std::string_view name, decode(raw_name));
    CHECK(level_count_ < kLevelsMax);
    levels_[level_count_++] = {kind_, name};
  }
  return {};
}

// An operation is a verb where a container's children would be.
bool ResourcePath::take_operation(std::string_view rest) {
  if (kind_ != ResourceKind::kContainer || rest != kPartitionKeyDeleteSegments) return false;
  raw_link_.remove_suffix(kPartitionKeyDeleteSegments.size() + 1);
  kind_ = ResourceKind::kPartitionKeyDelete;
  return true;
}

// The signature covers the resource that the addresses are asked for, not the question.
Status ResourcePath::parse_addresses(std::string_view query) {
  const auto raw = find_query_parameter(query, "$resolvefor");
  if (!raw || raw->empty()) return {};
  std::optional<std::string> decoded = percent_decode(*raw);
  if (!decoded) return fail(ErrorCode::kInvalidInput, "The parameter $resolveFor has a broken percent escape.");
  TRY_ASSIGN(ResourcePath resolved, parse_segments(keep(std::move(*decoded))));
  if (resolved.kind_ == ResourceKind::kAddresses)
    return fail(ErrorCode::kInvalidInput, "The parameter $resolveFor asks for addresses of addresses.");
  resolved.spell_resource();
  signed_resources_ = resolved.signed_resources_;
  signed_resource_count_ = resolved.signed_resource_count_;
  resolve_for_ = std::make_unique<ResourcePath>(std::move(resolved));
  return {};
}

Result<std::string_view> ResourcePath::decode(std::string_view raw_name) {
  if (!raw_name.contains('%')) return raw_name;
  std::optional<std::string> decoded = percent_decode(raw_name);
  if (!decoded) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The name '{}' in the path has a broken percent escape; a percent sign is written %25.", raw_name));
  }
  has_escapes_ = true;
  return keep(std::move(*decoded));
}

std::string_view ResourcePath::keep(std::string text) {
  kept_.push_front(std::move(text));
  return kept_.front();
}

std::string_view ResourcePath::own_name() const {
  return level_count_ > 0 && levels_[level_count_ - 1].kind == kind_ ? levels_[level_count_ - 1].name : std::string_view();
}

std::string_view ResourcePath::name_of(ResourceKind kind) const {
  for (const Level& level : std::span(levels_).first(level_count_)) {
    if (level.kind == kind) return level.name;
  }
  return {};
}

void ResourcePath::add_spelling(std::string_view type, std::string_view link) {
  const auto known = signed_resources();
  const bool is_new = std::ranges::none_of(known, [&](const auto& each) { return each.type == type && each.link == link; });
  if (is_new && signed_resource_count_ < kSpellingsMax) signed_resources_[signed_resource_count_++] = {type, link};
}

void ResourcePath::spell_resource() {
  switch (kind_) {
    case ResourceKind::kAccount:
      add_spelling("", "");
      add_spelling("databaseaccount", "");
      return;
    case ResourceKind::kOffer: spell_by_resource_id("offers"); return;
    case ResourceKind::kMedia: spell_media(); return;
    case ResourceKind::kPartitionKeyDelete:
      add_spelling("partitionkey", decoded_link());
      add_spelling("colls", decoded_link());
      return;
    default: break;
  }
  const std::string_view type = segment_of(kind_);
  if (is_resource_id_shaped_) spell_by_resource_id(type);
  add_spelling(type, decoded_link());
  add_spelling(type, raw_link_);
}

// Resource ids are signed alone and in lower case: that of the resource, or of the owner for feeds.
void ResourcePath::spell_by_resource_id(std::string_view type) {
  const std::string_view rid = level_count_ == 0 ? std::string_view() : levels_[level_count_ - 1].name;
  add_spelling(type, keep(lower(rid)));
  add_spelling(type, rid);
}

// A media id is an attachment's resource id and one byte that says which store has the bytes; clients sign either.
void ResourcePath::spell_media() {
  std::string standard(own_name());
  std::ranges::replace(standard, '-', '/');
  if (auto bytes = from_base64(standard); bytes && bytes->size() == 21) {
    bytes->pop_back();
    std::string attachment = base64(*bytes);
    std::ranges::replace(attachment, '/', '-');
    add_spelling("media", keep(lower(attachment)));
  }
  spell_by_resource_id("media");
}

// The link that name-based clients sign: type segments and decoded names.
std::string_view ResourcePath::decoded_link() {
  if (!has_escapes_) return raw_link_;
  std::string link;
  for (const Level& level : std::span(levels_).first(level_count_)) {
    if (!link.empty()) link += '/';
    link += segment_of(level.kind);
    link += '/';
    link += level.name;
  }
  return keep(std::move(link));
}

}  // namespace partita::cosmos

#pragma once

#include <array>
#include <cstddef>
#include <forward_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "auth/master_key.h"
#include "base/result.h"

namespace partita::cosmos {

enum class ResourceKind {
  kAccount,
  kDatabase,
  kContainer,
  kItem,
  kAttachment,
  kStoredProcedure,
  kTrigger,
  kUserDefinedFunction,
  kConflict,
  kPartitionKeyRange,
  kSchema,
  kPartitionKeyDelete,  // the operation "delete all items of a partition key" of a container
  kUser,
  kPermission,
  kClientEncryptionKey,
  kOffer,
  kMedia,
  kAddresses,  // where the replicas of a resource listen; resolve_for() is the resource
};

// ResourcePath: what a request path addresses, and how its authorization token may have spelled that.
//
//   /                          the account
//   /dbs/d/colls               a feed: the containers of a database (list, create, query)
//   /dbs/d/colls/c/docs/id     one resource
//
// Names are percent-decoded once, after the path was cut at its slashes, so a name may hold any character. Holds views of the
// path and query that it was parsed from, which must outlive it. Movable, not copyable.
class ResourcePath {
 public:
  // `path` and `query` are raw. Leading and trailing slashes do not matter. Some clients do not escape the question mark of an
  // item id, so the query belongs to the name when the path ends with a name.
  // kInvalidInput: a broken percent escape, an empty segment, or something below a resource that never has anything below it.
  // kNotFound: a path that nothing can be found at.
  static Result<ResourcePath> parse(std::string_view path, std::string_view query = {});

  ResourceKind kind() const { return kind_; }
  // True for all resources of a kind below their owner, false for one of them, the account, or an operation.
  bool is_feed() const { return is_feed_; }

  // The name of the one addressed resource; empty for feeds, the account and operations.
  std::string_view name() const { return is_feed_ ? std::string_view() : own_name(); }
  // Names on the way; empty where the path has none.
  std::string_view database() const { return name_of(ResourceKind::kDatabase); }
  std::string_view container() const { return name_of(ResourceKind::kContainer); }
  std::string_view item() const { return name_of(ResourceKind::kItem); }
  std::string_view user() const { return name_of(ResourceKind::kUser); }

  // True when the database is named by its resource id, as in "_self" links; then what follows may be, too. No new database has
  // an id that reads as one.
  bool is_resource_id_shaped() const { return is_resource_id_shaped_; }

  // What the signature of the request may cover, likeliest first; never empty.
  std::span<const auth::SignedResource> signed_resources() const { return {signed_resources_.data(), signed_resource_count_}; }

  // For kAddresses, the resource whose addresses are asked for; else null. Null also when the query names none.
  const ResourcePath* resolve_for() const { return resolve_for_.get(); }

  ResourcePath(ResourcePath&&) = default;
  ResourcePath& operator=(ResourcePath&&) = default;

 private:
  // One step down: a kind, and which of them.
  struct Level {
    ResourceKind kind;
    std::string_view name;  // decoded
  };
  static constexpr size_t kLevelsMax = 4;
  static constexpr size_t kSpellingsMax = 6;

  ResourcePath() = default;

  static Result<ResourcePath> parse_segments(std::string_view path);
  Status descend(std::string_view path);
  bool take_operation(std::string_view rest);
  Status parse_addresses(std::string_view query);
  Result<std::string_view> decode(std::string_view raw_name);
  std::string_view keep(std::string text);
  std::string_view own_name() const;
  std::string_view name_of(ResourceKind kind) const;

  void spell_resource();
  void add_spelling(std::string_view type, std::string_view link);
  void spell_by_resource_id(std::string_view type);
  void spell_media();
  std::string_view decoded_link();

  ResourceKind kind_ = ResourceKind::kAccount;
  bool is_feed_ = false;
  bool has_escapes_ = false;
  bool is_resource_id_shaped_ = false;
  std::array<Level, kLevelsMax> levels_{};
  size_t level_count_ = 0;
  std::string_view raw_link_;  // the path without slashes at its ends; for feeds and operations, that of the owner
  std::array<auth::SignedResource, kSpellingsMax> signed_resources_;
  size_t signed_resource_count_ = 0;
  std::forward_list<std::string> kept_;  // text that views above point to; nodes stay where they are when this moves
  std::unique_ptr<ResourcePath> resolve_for_;
};

}  // namespace partita::cosmos

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

// Resource ids ("_rid"): the binary names that clients decode, compare and send back.
//
//   bytes   0    4    8                16       20
//           | db |                                     database
//           | db | c  |                                container: big-endian number with the top bit set
//           | db | u  |                                user: the same with the top bit clear
//           | db | c  | ordinal, type |                item, stored procedure, ...: little-endian, type in the top four bits
//           | db | c  | item          | a  |           attachment of an item
//           | db | u  | ordinal       |                permission
//           | db | 0  | key , 2       |                client encryption key: two little-endian numbers
//           |off|                                      offer: three bytes, little-endian
//
// Text form: base64, padded, with '-' for '/'. Numbers are big-endian unless said otherwise.
namespace partita::cosmos {

struct DatabaseRid {
  uint32_t database;  // > 0
  bool operator==(const DatabaseRid&) const = default;
};

struct ContainerRid {
  uint32_t database;   // > 0
  uint32_t container;  // < 2^31; the top bit exists only in the bytes
  bool operator==(const ContainerRid&) const = default;
};

struct UserRid {
  uint32_t database;  // > 0
  uint32_t user;      // 0 < user < 2^31
  bool operator==(const UserRid&) const = default;
};

// The values are the type nibbles of the binary form.
enum class ContainerChild : uint8_t {
  kItem = 0x0,
  kConflict = 0x4,
  kPartitionKeyRange = 0x5,
  kUserDefinedFunction = 0x6,
  kTrigger = 0x7,
  kStoredProcedure = 0x8,
};

struct ContainerChildRid {
  ContainerRid container;
  ContainerChild type;
  uint64_t ordinal;  // < 2^60; > 0 for an item. Clients order items by it
  bool operator==(const ContainerChildRid&) const = default;
};

struct AttachmentRid {
  ContainerRid container;
  uint64_t item_ordinal;
  uint32_t attachment;  // > 0
  bool operator==(const AttachmentRid&) const = default;
};

struct PermissionRid {
  UserRid user;
  uint64_t ordinal;
  bool operator==(const PermissionRid&) const = default;
};

struct ClientEncryptionKeyRid {
  uint32_t database;  // > 0
  uint32_t key;       // > 0
  bool operator==(const ClientEncryptionKeyRid&) const = default;
};

struct OfferRid {
  uint32_t offer;  // 0 < offer < 2^24
  bool operator==(const OfferRid&) const = default;
};

using ResourceId = std::variant<DatabaseRid, ContainerRid, UserRid, ContainerChildRid, AttachmentRid, PermissionRid,
                                ClientEncryptionKeyRid, OfferRid>;

// kInvalidInput when the text is no resource id. Only the canonical text of an id is accepted, so equal ids have equal texts.
Result<ResourceId> parse_resource_id(std::string_view text);

// The same, for a caller that can only use one kind.
template <typename Rid>
std::optional<Rid> parse_resource_id_as(std::string_view text) {
  const Result<ResourceId> parsed = parse_resource_id(text);
  if (!parsed || !std::holds_alternative<Rid>(*parsed)) return std::nullopt;
  return std::get<Rid>(*parsed);
}
// A child of a container of the given type.
std::optional<ContainerChildRid> parse_child_rid(std::string_view text, ContainerChild type);

// REQUIRES, here and below: the numbers obey the limits given with the types.
void append_rid(std::string& out, const DatabaseRid& rid);
void append_rid(std::string& out, const ContainerRid& rid);
void append_rid(std::string& out, const UserRid& rid);
void append_rid(std::string& out, const ContainerChildRid& rid);
void append_rid(std::string& out, const AttachmentRid& rid);
void append_rid(std::string& out, const PermissionRid& rid);
void append_rid(std::string& out, const ClientEncryptionKeyRid& rid);
void append_rid(std::string& out, const OfferRid& rid);
void append_rid(std::string& out, const ResourceId& rid);

template <typename Rid>
std::string rid_text(const Rid& rid) {
  std::string text;
  append_rid(text, rid);
  return text;
}

// The "_self" link: "dbs/{rid}/colls/{rid}/docs/{rid}/".
void append_self_link(std::string& out, const DatabaseRid& rid);
void append_self_link(std::string& out, const ContainerRid& rid);
void append_self_link(std::string& out, const UserRid& rid);
void append_self_link(std::string& out, const ContainerChildRid& rid);
void append_self_link(std::string& out, const AttachmentRid& rid);
void append_self_link(std::string& out, const PermissionRid& rid);
void append_self_link(std::string& out, const ClientEncryptionKeyRid& rid);
void append_self_link(std::string& out, const OfferRid& rid);

}  // namespace partita::cosmos

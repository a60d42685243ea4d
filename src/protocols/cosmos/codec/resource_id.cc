#include "protocols/cosmos/codec/resource_id.h"

#include "base/bytes.h"
#include "base/check.h"
#include "engine/item/resource_rid.h"

namespace partita::cosmos {
namespace {

constexpr uint32_t kContainerBit = 0x80000000;
constexpr uint64_t kOrdinalMask = (uint64_t{1} << 60) - 1;
constexpr uint32_t kClientEncryptionKeyMark = 2;
constexpr size_t kOfferBytes = 3;
constexpr size_t kRidTextMax = 28;

// What documents carry is laid out by the engine; here follow the kinds of which only clients know.
std::string bytes_of(const DatabaseRid& rid) { return database_rid_bytes(rid.database); }
std::string bytes_of(const ContainerRid& rid) { return container_rid_bytes(rid.database, rid.container); }
std::string bytes_of(const UserRid& rid) {
  std::string bytes = database_rid_bytes(rid.database);
  append_big_endian(bytes, rid.user);
  return bytes;
}
std::string bytes_of(const ContainerChildRid& rid) {
  return document_rid_bytes(bytes_of(rid.container), DocumentNumber{rid.ordinal | static_cast<uint64_t>(rid.type) << 60});
}
std::string bytes_of(const AttachmentRid& rid) {
  return attachment_rid_bytes(bytes_of(rid.container), DocumentNumber{rid.item_ordinal}, AttachmentNumber{rid.attachment});
}
std::string bytes_of(const PermissionRid& rid) {
  std::string bytes = bytes_of(rid.user);
  append_little_endian(bytes, rid.ordinal);
  return bytes;
}
std::string bytes_of(const ClientEncryptionKeyRid& rid) {
  std::string bytes = bytes_of(UserRid{rid.database, 0});
  append_little_endian(bytes, rid.key);
  append_little_endian(bytes, kClientEncryptionKeyMark);
  return bytes;
}
std::string bytes_of(const OfferRid& rid) {
  std::string bytes;
  append_little_endian(bytes, rid.offer);
  bytes.resize(kOfferBytes);
  return bytes;
}

std::optional<ContainerChild> child_type(uint64_t tail) {
  switch (const auto type = static_cast<ContainerChild>(tail >> 60)) {
    case ContainerChild::kItem:
    case ContainerChild::kConflict:
    case ContainerChild::kPartitionKeyRange:
    case ContainerChild::kUserDefinedFunction:
    case ContainerChild::kTrigger:
    case ContainerChild::kStoredProcedure: return type;
  }
  return std::nullopt;
}

std::optional<ResourceId> decode_below_container(ContainerRid container, std::string_view bytes) {
  if (bytes.size() == 8) return container;
  const auto tail = load_little_endian<uint64_t>(bytes.data() + 8);
  const auto type = child_type(tail);
  if (!type || (*type == ContainerChild::kItem && tail == 0)) return std::nullopt;
  if (bytes.size() == 16) return ContainerChildRid{container, *type, tail & kOrdinalMask};
  const auto attachment = load_big_endian<uint32_t>(bytes.data() + 16);
  if (*type != ContainerChild::kItem || attachment == 0) return std::nullopt;
  return AttachmentRid{container, tail, attachment};
}

std::optional<ResourceId> decode_below_user(UserRid user, std::string_view bytes) {
  if (bytes.size() == 8 && user.user != 0) return user;
  if (bytes.size() != 16) return std::nullopt;
  if (user.user != 0) return PermissionRid{user, load_little_endian<uint64_t>(bytes.data() + 8)};
  const auto key = load_little_endian<uint32_t>(bytes.data() + 8);
  const auto mark = load_little_endian<uint32_t>(bytes.data() + 12);
  if (key == 0 || mark != kClientEncryptionKeyMark) return std::nullopt;
  return ClientEncryptionKeyRid{user.database, key};
}

std::optional<ResourceId> decode_offer(std::string_view bytes) {
  uint32_t offer = 0;
  for (size_t i = 0; i < kOfferBytes; ++i) offer |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  if (offer == 0) return std::nullopt;
  return OfferRid{offer};
}

std::optional<ResourceId> decode(std::string_view bytes) {
  if (bytes.size() == kOfferBytes) return decode_offer(bytes);
  if (bytes.size() != 4 && bytes.size() != 8 && bytes.size() != 16 && bytes.size() != 20) return std::nullopt;
  const auto database = load_big_endian<uint32_t>(bytes.data());
  if (database == 0) return std::nullopt;
  if (bytes.size() == 4) return DatabaseRid{database};
  const auto second = load_big_endian<uint32_t>(bytes.data() + 4);
  if ((second & kContainerBit) != 0) return decode_below_container({database, second & ~kContainerBit}, bytes);
  return decode_below_user({database, second}, bytes);
}

std::string_view path_segment(ContainerChild type) {
  switch (type) {
    case ContainerChild::kItem: return "docs/";
    case ContainerChild::kConflict: return "conflicts/";
    case ContainerChild::kPartitionKeyRange: return "pkranges/";
    case ContainerChild::kUserDefinedFunction: return "udfs/";
    case ContainerChild::kTrigger: return "triggers/";
    case ContainerChild::kStoredProcedure: return "sprocs/";
  }
  CHECK_MESSAGE(false, "a ContainerChild outside its enumerators");
}

template <typename Rid>
void append_step(std::string& out, std::string_view segment, const Rid& rid) {
  out += segment;
  append_rid(out, rid);
  out += '/';
}

}  // namespace

Result<ResourceId> parse_resource_id(std::string_view text) {
  if (const auto bytes = text.size() <= kRidTextMax ? bytes_in_rid_text(text) : std::nullopt) {
    // Base64 has several texts for one value (unused bits); only the one that we would write is ours.
    if (const auto rid = decode(*bytes); rid && rid_text(*rid) == text) return *rid;
  }
  return fail(ErrorCode::kInvalidInput, "'" + std::string(text) + "' is not a resource id");
}

std::optional<ContainerChildRid> parse_child_rid(std::string_view text, ContainerChild type) {
  const auto rid = parse_resource_id_as<ContainerChildRid>(text);
  return rid && rid->type == type ? rid : std::nullopt;
}

void append_rid(std::string& out, const DatabaseRid& rid) { out += partita::rid_text(bytes_of(rid)); }
void append_rid(std::string& out, const ContainerRid& rid) { out += partita::rid_text(bytes_of(rid)); }
void append_rid(std::string& out, const UserRid& rid) { out += partita::rid_text(bytes_of(rid)); }
void append_rid(std::string& out, const ContainerChildRid& rid) { out += partita::rid_text(bytes_of(rid)); }
void append_rid(std::string& out, const AttachmentRid& rid) { out += partita::rid_text(bytes_of(rid)); }
void append_rid(std::string& out, const PermissionRid& rid) { out += partita::rid_text(bytes_of(rid)); }
void append_rid(std::string& out, const ClientEncryptionKeyRid& rid) { out += partita::rid_text(bytes_of(rid)); }
void append_rid(std::string& out, const OfferRid& rid) { out += partita::rid_text(bytes_of(rid)); }
void append_rid(std::string& out, const ResourceId& rid) {
  std::visit([&out](const auto& each) { append_rid(out, each); }, rid);
}

void append_self_link(std::string& out, const DatabaseRid& rid) { append_step(out, "dbs/", rid); }
void append_self_link(std::string& out, const ContainerRid& rid) {
  append_self_link(out, DatabaseRid{rid.database});
  append_step(out, "colls/", rid);
}
void append_self_link(std::string& out, const UserRid& rid) {
  append_self_link(out, DatabaseRid{rid.database});
  append_step(out, "users/", rid);
}
void append_self_link(std::string& out, const ContainerChildRid& rid) {
  append_self_link(out, rid.container);
  append_step(out, path_segment(rid.type), rid);
}
void append_self_link(std::string& out, const AttachmentRid& rid) {
  append_self_link(out, ContainerChildRid{rid.container, ContainerChild::kItem, rid.item_ordinal});
  append_step(out, "attachments/", rid);
}
void append_self_link(std::string& out, const PermissionRid& rid) {
  append_self_link(out, rid.user);
  append_step(out, "permissions/", rid);
}
void append_self_link(std::string& out, const ClientEncryptionKeyRid& rid) {
  append_self_link(out, DatabaseRid{rid.database});
  append_step(out, "clientencryptionkeys/", rid);
}
void append_self_link(std::string& out, const OfferRid& rid) { append_step(out, "offers/", rid); }

}  // namespace partita::cosmos

#include "protocols/cosmos/codec/resource_id.h"

#include <array>
#include <cstring>

#include "base/bytes.h"
#include "base/check.h"
#include "base/encodings.h"

namespace partita::cosmos {
namespace {

constexpr uint32_t kContainerBit = 0x80000000;
constexpr uint64_t kOrdinalMask = (uint64_t{1} << 60) - 1;
constexpr uint32_t kClientEncryptionKeyMark = 2;
constexpr size_t kRidBytesMax = 20;
constexpr size_t kRidTextMax = 28;
constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

// RidBytes: a resource id being put together, most significant level first.
class RidBytes {
 public:
  RidBytes& big_endian(uint32_t value) { return append(to_big_endian(value)); }
  RidBytes& little_endian(uint32_t value) { return append(to_little_endian(value)); }
  RidBytes& little_endian(uint64_t value) { return append(to_little_endian(value)); }
  RidBytes& offer(uint32_t value) {
    append(to_little_endian(value));
    --size_;
    return *this;
  }

  void append_text(std::string& out) const {
    char text[kRidTextMax];
    char* end = text;
    for (size_t i = 0; i < size_; i += 3) {
      // Bytes beyond the end are zero, as base64 wants them.
      const uint32_t group = static_cast<uint32_t>(bytes_[i] << 16) | static_cast<uint32_t>(bytes_[i + 1] << 8) | bytes_[i + 2];
      *end++ = kAlphabet[group >> 18];
      *end++ = kAlphabet[(group >> 12) & 63];
      *end++ = i + 1 < size_ ? kAlphabet[(group >> 6) & 63] : '=';
      *end++ = i + 2 < size_ ? kAlphabet[group & 63] : '=';
    }
    out.append(text, end);
  }

 private:
  template <typename T>
  RidBytes& append(T value) {
    std::memcpy(bytes_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
    return *this;
  }

  std::array<uint8_t, kRidBytesMax + 2> bytes_{};
  size_t size_ = 0;
};

RidBytes bytes_of(const DatabaseRid& rid) { return RidBytes().big_endian(rid.database); }
RidBytes bytes_of(const ContainerRid& rid) {
  return RidBytes().big_endian(rid.database).big_endian(rid.container | kContainerBit);
}
RidBytes bytes_of(const UserRid& rid) { return RidBytes().big_endian(rid.database).big_endian(rid.user); }
RidBytes bytes_of(const ContainerChildRid& rid) {
  return bytes_of(rid.container).little_endian(uint64_t{rid.ordinal | static_cast<uint64_t>(rid.type) << 60});
}
RidBytes bytes_of(const AttachmentRid& rid) {
  return bytes_of(rid.container).little_endian(rid.item_ordinal).big_endian(rid.attachment);
}
RidBytes bytes_of(const PermissionRid& rid) { return bytes_of(rid.user).little_endian(rid.ordinal); }
RidBytes bytes_of(const ClientEncryptionKeyRid& rid) {
  return RidBytes().big_endian(rid.database).big_endian(0).little_endian(rid.key).little_endian(kClientEncryptionKeyMark);
}
RidBytes bytes_of(const OfferRid& rid) { return RidBytes().offer(rid.offer); }

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
  for (size_t i = 0; i < 3; ++i) offer |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  if (offer == 0) return std::nullopt;
  return OfferRid{offer};
}

std::optional<ResourceId> decode(std::string_view bytes) {
  if (bytes.size() == 3) return decode_offer(bytes);
  if (bytes.size() != 4 && bytes.size() != 8 && bytes.size() != 16 && bytes.size() != 20) return std::nullopt;
  const auto database = load_big_endian<uint32_t>(bytes.data());
  if (database == 0) return std::nullopt;
  if (bytes.size() == 4) return DatabaseRid{database};
  const auto second = load_big_endian<uint32_t>(bytes.data() + 4);
  if ((second & kContainerBit) != 0) return decode_below_container({database, second & ~kContainerBit}, bytes);
  return decode_below_user({database, second}, bytes);
}

std::optional<std::string> bytes_from_text(std::string_view text) {
  if (text.empty() || text.size() > kRidTextMax || text.contains('/')) return std::nullopt;
  std::string standard(text);
  for (char& c : standard) {
    if (c == '-') c = '/';
  }
  return from_base64(standard);
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
  if (const auto bytes = bytes_from_text(text)) {
    // Base64 has several texts for one value (unused bits); only the one that we would write is ours.
    if (const auto rid = decode(*bytes); rid && rid_text(*rid) == text) return *rid;
  }
  return fail(ErrorCode::kInvalidInput, "'" + std::string(text) + "' is not a resource id");
}

std::optional<ContainerChildRid> parse_child_rid(std::string_view text, ContainerChild type) {
  const auto rid = parse_resource_id_as<ContainerChildRid>(text);
  return rid && rid->type == type ? rid : std::nullopt;
}

void append_rid(std::string& out, const DatabaseRid& rid) { bytes_of(rid).append_text(out); }
void append_rid(std::string& out, const ContainerRid& rid) { bytes_of(rid).append_text(out); }
void append_rid(std::string& out, const UserRid& rid) { bytes_of(rid).append_text(out); }
void append_rid(std::string& out, const ContainerChildRid& rid) { bytes_of(rid).append_text(out); }
void append_rid(std::string& out, const AttachmentRid& rid) { bytes_of(rid).append_text(out); }
void append_rid(std::string& out, const PermissionRid& rid) { bytes_of(rid).append_text(out); }
void append_rid(std::string& out, const ClientEncryptionKeyRid& rid) { bytes_of(rid).append_text(out); }
void append_rid(std::string& out, const OfferRid& rid) { bytes_of(rid).append_text(out); }
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

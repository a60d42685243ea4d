#include "protocols/cosmos/direct/frame.h"

#include "base/bytes.h"

#include <algorithm>

namespace partita::cosmos::direct {
namespace {

constexpr size_t kKindAt = 4;
constexpr size_t kOperationAt = 6;
constexpr size_t kStatusAt = 4;
constexpr size_t kActivityIdAt = 8;

}  // namespace

void write_guid_text(char* out, std::string_view guid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::array<size_t, 16> kOrder = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  for (size_t i = 0; i < kOrder.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
    const auto byte = static_cast<unsigned char>(guid[kOrder[i]]);
    *out++ = kDigits[byte >> 4];
    *out++ = kDigits[byte & 15];
  }
}

std::optional<RequestHead> parse_request_head(std::string_view bytes) {
  RequestHead head;
  head.head_bytes = load_little_endian<uint32_t>(bytes.data());
  if (head.head_bytes < kFixedHeadBytes || head.head_bytes > kHeadBytesMax) return std::nullopt;
  head.kind = load_little_endian<uint16_t>(bytes.data() + kKindAt);
  head.operation = load_little_endian<uint16_t>(bytes.data() + kOperationAt);
  std::copy_n(bytes.data() + kActivityIdAt, head.activity_id.size(), head.activity_id.begin());
  return head;
}

size_t begin_response_head(std::string& out, uint32_t status, const ActivityId& activity_id) {
  const size_t begin = out.size();
  append_little_endian(out, uint32_t{0});
  append_little_endian(out, status);
  out.append(activity_id.data(), activity_id.size());
  return begin;
}

void finish_response_head(std::string& out, size_t begin) {
  store_little_endian(out.data() + begin, static_cast<uint32_t>(out.size() - begin));
}

void set_response_status(std::string& out, size_t begin, uint32_t status) {
  store_little_endian(out.data() + begin + kStatusAt, status);
}

}  // namespace partita::cosmos::direct

#pragma once

#include "base/result.h"
#include "net/http/http_message.h"
#include "protocols/cosmos/direct/frame.h"
#include "protocols/cosmos/direct/request_tokens.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita::cosmos::direct {

// DirectRequest: what the head of a frame asks for, as the request that the router reads. Reused from frame to frame, so its
// memory stays warm. Not thread-safe.
//
// The request has views of the head that it was read from and of this object, both of which must stay where they are.
class DirectRequest {
 public:
  // Anew. `version` is what the connection speaks, where the frame does not say. False: these are no tokens, and nothing that
  // follows can be found.
  bool read(const RequestHead& head, std::string_view tokens, std::string_view version);

  // Why it cannot be served, whatever it is about; then the request is none.
  const std::optional<Error>& mistake() const { return mistake_; }
  net::HttpRequest& request() { return request_; }
  const net::HttpRequest& request() const { return request_; }

  const ActivityId& activity_id() const { return activity_id_; }
  std::string_view activity_text() const { return {activity_text_.data(), activity_text_.size()}; }
  bool has_payload() const { return has_payload_; }
  // To be sent back.
  uint32_t transport_id() const { return transport_id_; }
  // Whether the client sent it to the replica that it believes to be the primary one.
  bool is_at_primary() const { return is_at_primary_; }
  bool names_range() const { return names_range_; }
  bool names_key() const { return names_key_; }
  // Whether the client, and not only its cache of names, insists on which container it is.
  bool insists_on_container() const { return insists_on_container_; }
  // Asks how far its partition, or the metadata, has come, and for nothing else.
  bool is_barrier() const { return is_barrier_; }

 private:
  static constexpr uint16_t kFirstName = 0x0015;
  static constexpr size_t kNames = 12;
  static constexpr size_t kTextBytesMax = 256;

  struct Verb;
  struct Kind;

  void clear();
  void take(const RequestToken& known, const Token& token);
  void take_text(const RequestToken& known, std::string_view text);
  void take_number(const RequestToken& known, int64_t number);
  void translate(const RequestHead& head, std::string_view version);
  void write_path(const Kind& kind, bool is_feed);
  void write_path_by_names(const Kind& kind, bool is_feed);
  void write_path_by_rid(const Kind& kind, bool is_feed);
  void check_container(const Kind& kind);
  void add_headers(const Verb& verb, std::string_view version);
  // The last one counts.
  void set_header(std::string_view name, std::string_view value);
  // A copy that lives as long as the request; empty, and a mistake, when there are too many.
  std::string_view keep(std::string_view text);
  void refuse(ErrorCode code, std::string message);
  std::optional<std::string_view>& name_of(uint16_t id) { return names_[id - kFirstName]; }

  net::HttpRequest request_;
  std::optional<Error> mistake_;
  ActivityId activity_id_{};
  std::array<char, kGuidTextBytes> activity_text_{};
  std::string path_;
  std::array<char, kTextBytesMax> texts_{};
  size_t text_bytes_ = 0;
  std::array<std::optional<std::string_view>, kNames> names_{};
  std::optional<std::string_view> resource_id_;
  std::optional<std::string_view> container_rid_;
  std::optional<std::string_view> match_;
  uint32_t transport_id_ = 0;
  bool has_payload_ = false;
  bool is_at_primary_ = false;
  bool names_range_ = false;
  bool names_key_ = false;
  bool insists_on_container_ = false;
  bool is_barrier_ = false;
  bool wants_latest_committed_ = false;
};

}  // namespace partita::cosmos::direct

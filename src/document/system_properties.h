#pragma once

#include <array>
#include <string_view>

// What documents with system properties have in them besides what their clients gave them. ON DISK: such documents are stored
// with these names, which the first protocol's service chose; so its name for a thing stands here once, and nowhere else below
// the protocols. Who stores documents without system properties has none of this.
namespace partita::system_property {

inline constexpr std::string_view kResourceId = "_rid";  // text whose last eight bytes are the document's number
inline constexpr std::string_view kSelfLink = "_self";
inline constexpr std::string_view kVersion = "_etag";
inline constexpr std::string_view kAttachments = "_attachments";
inline constexpr std::string_view kWrittenSeconds = "_ts";
inline constexpr std::string_view kLsn = "_lsn";  // only in documents as the change feed shows them

inline constexpr std::array<std::string_view, 6> kAll = {kResourceId, kSelfLink, kVersion, kAttachments, kWrittenSeconds, kLsn};

// The version alone, as a path of an indexing policy.
inline constexpr std::string_view kVersionPath = "/\"_etag\"/?";

}  // namespace partita::system_property

#include "protocols/cosmos/codec/throughput.h"

#include "cluster/catalog/catalog.h"
#include "document/json/definition_json.h"
#include "protocols/cosmos/codec/header_names.h"
#include "protocols/cosmos/codec/resource_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace partita::cosmos {
namespace {

// With autoscale the throughput falls to a tenth when nothing happens.
constexpr int64_t kAutoscaleIdleShare = 10;
constexpr int64_t kIncrementPercentMax = 1000;

Throughput autoscale(int64_t max) {
  return {.provisioned = max / kAutoscaleIdleShare, .autoscale_max = max, .increment_percent = std::nullopt};
}

Result<int64_t> integer(std::string_view text, std::string_view what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not a whole number, as {} must be.", text, what));
  }
  return value;
}

Result<std::optional<int64_t>> increment_percent(const Value& settings) {
  const Value policy = settings.find("autoUpgradePolicy").find("throughputPolicy").find("incrementPercent");
  if (policy.is_undefined()) return std::nullopt;
  const std::optional<int64_t> percent = policy.is_number() ? policy.integer() : std::nullopt;
  if (!percent || *percent < 0 || *percent > kIncrementPercentMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("An 'incrementPercent' is a whole number from 0 to {}.", kIncrementPercentMax));
  }
  return percent;
}

Result<Throughput> autoscale_from(const Value& settings) {
  const Value max = settings.find("maxThroughput");
  const std::optional<int64_t> value = max.is_number() ? max.integer() : std::nullopt;
  if (!value) return fail(ErrorCode::kInvalidInput, "Autoscale settings need a whole number 'maxThroughput'.");
  Throughput throughput = autoscale(*value);
  TRY_ASSIGN(throughput.increment_percent, increment_percent(settings));
  return throughput;
}

void write_autoscale(StoredWriter& out, const Throughput& throughput) {
  const auto number = [&](std::string_view key, int64_t value) {
    out.key(key);
    out.integer(value);
  };
  out.key("offerAutopilotSettings");
  out.begin_object();
  number("tier", 0);
  number("maximumTierThroughput", *throughput.autoscale_max);
  out.key("autoUpgrade");
  out.boolean(false);
  number("maxThroughput", *throughput.autoscale_max);
  if (throughput.increment_percent) {
    out.key("autoUpgradePolicy");
    out.begin_object();
    out.key("throughputPolicy");
    out.begin_object();
    number("incrementPercent", *throughput.increment_percent);
    out.end_object();
    out.end_object();
  }
  out.end_object();
}

Throughput fixed(PerformanceLevel level) {
  return {.provisioned = units_per_second(level), .autoscale_max = std::nullopt, .level = level};
}

// Offers by performance level have another version, and their type is the level.
constexpr std::string_view kLevelVersion = "V1";
constexpr std::string_view kNumberVersion = "V2";
constexpr std::string_view kTypeOfNumber = "Invalid";

std::string owner_link(const Offer& offer) {
  std::string link;
  if (offer.container == 0) {
    append_self_link(link, DatabaseRid{offer.database});
  } else {
    append_self_link(link, ContainerRid{offer.database, offer.container});
  }
  return link;
}

std::string owner_rid(const Offer& offer) {
  if (offer.container == 0) return rid_text(DatabaseRid{offer.database});
  return rid_text(ContainerRid{offer.database, offer.container});
}

// The performance level that an offer asks for; none when it asks for a number. A client that does not know levels sends back the
// type that it has read with another number in the content.
Result<PerformanceLevel> level_from_offer(const Value& body, const Offer& current) {
  const Value version = body.find("offerVersion");
  const Value type = body.find("offerType");
  if (!version.is_string() || version.string() != kLevelVersion) return PerformanceLevel::kNone;
  if (!type.is_string()) return fail(ErrorCode::kInvalidInput, "An offer of version V1 needs an 'offerType': S1, S2 or S3.");
  TRY_ASSIGN(const PerformanceLevel level, performance_level(type.string()));
  const Value content = body.find("content");
  if (level != current.throughput.level || content.is_undefined()) return level;
  const Value units = content.find("offerThroughput");
  const bool is_changed = !units.is_number() || units.integer() != current.throughput.provisioned;
  return is_changed || content.find("offerAutopilotSettings").is_object() ? PerformanceLevel::kNone : level;
}

}  // namespace

Result<std::optional<Throughput>> throughput_from_headers(const net::HttpRequest& request) {
  const std::string_view manual = request.header(header::kOfferThroughput);
  const std::string_view autopilot = request.header(header::kOfferAutopilot);
  const std::string_view type = request.header(header::kOfferType);
  const bool has_level = !type.empty() && !net::equal_without_case(type, kTypeOfNumber);
  if (has_level && (!manual.empty() || !autopilot.empty())) {
    return fail(ErrorCode::kInvalidInput, "A request can ask for a performance level or for throughput, not for both.");
  }
  if (has_level) {
    TRY_ASSIGN(const PerformanceLevel level, performance_level(type));
    return fixed(level);
  }
  if (!manual.empty() && !autopilot.empty()) {
    return fail(ErrorCode::kInvalidInput, "A request can ask for manual throughput or for autoscale settings, not for both.");
  }
  if (!manual.empty()) {
    TRY_ASSIGN(const int64_t value, integer(manual, "the offer throughput"));
    return Throughput{.provisioned = value, .autoscale_max = std::nullopt};
  }
  if (!autopilot.empty()) {
    const Result<std::string> settings = definition_from_json(autopilot);
    if (!settings) return fail(ErrorCode::kInvalidInput, fmt::format("Autoscale settings: {}", settings.error().message));
    return autoscale_from(Value::view(*settings));
  }
  return std::nullopt;
}

void write_offer(StoredWriter& out, const Offer& offer, const OfferUse& use) {
  const auto text = [&](std::string_view key, std::string_view value) {
    out.key(key);
    out.string(value);
  };
  const auto number = [&](std::string_view key, int64_t value) {
    out.key(key);
    out.integer(value);
  };
  out.begin_object();
  text("resource", owner_link(offer));
  const bool has_level = offer.throughput.level != PerformanceLevel::kNone;
  text("offerType", has_level ? name_of(offer.throughput.level) : kTypeOfNumber);
  text("offerResourceId", owner_rid(offer));
  text("offerVersion", has_level ? kLevelVersion : kNumberVersion);
  out.key("content");
  out.begin_object();
  number("offerThroughput", present_throughput(offer, use));
  out.key("offerIsRUPerMinuteThroughputEnabled");
  out.boolean(false);
  if (use.is_pending) {
    out.key("isOfferReplacePending");
    out.boolean(true);
  }
  out.key("offerMinimumThroughputParameters");
  out.begin_object();
  number("maxThroughputEverProvisioned", offer.provisioned_max_ever);
  number("maxConsumedStorageEverInKB", static_cast<int64_t>(use.stored_bytes / 1024));
  out.end_object();
  if (offer.throughput.autoscale_max) write_autoscale(out, offer.throughput);
  out.end_object();
  const std::string rid = rid_text(OfferRid{offer.number});
  text("id", rid);
  text("_rid", rid);
  text("_self", fmt::format("offers/{}/", rid));
  text("_etag", offer.revision.etag);
  number("_ts", offer.revision.unix_seconds);
  out.end_object();
}

Result<Throughput> throughput_from_offer(const Value& body, const Offer& current, const net::HttpRequest& request) {
  const bool to_autoscale = net::equal_without_case(request.header(header::kMigrateToAutopilot), "true");
  const bool to_manual = net::equal_without_case(request.header(header::kMigrateToManual), "true");
  if (!to_autoscale && !to_manual) {
    TRY_ASSIGN(const PerformanceLevel level, level_from_offer(body, current));
    if (level != PerformanceLevel::kNone) return fixed(level);
  }
  const Value content = body.find("content");
  if (!content.is_object()) return fail(ErrorCode::kInvalidInput, "An offer needs an object 'content'.");
  if (to_autoscale) {
    Offer changed = current;
    changed.throughput = autoscale(kAutoscaleMin);
    const int64_t least = throughput_floor(changed, {});
    const int64_t needed = std::max(least, current.throughput.planned());
    return autoscale((needed + kAutoscaleStep - 1) / kAutoscaleStep * kAutoscaleStep);
  }
  if (to_manual) {
    return Throughput{.provisioned = current.throughput.planned(), .autoscale_max = std::nullopt};
  }
  const Value settings = content.find("offerAutopilotSettings");
  if (settings.is_object()) return autoscale_from(settings);
  const Value throughput = content.find("offerThroughput");
  const std::optional<int64_t> value = throughput.is_number() ? throughput.integer() : std::nullopt;
  if (!value) return fail(ErrorCode::kInvalidInput, "An offer's content needs a whole number 'offerThroughput'.");
  return Throughput{.provisioned = *value, .autoscale_max = std::nullopt};
}

}  // namespace partita::cosmos

#include "server/admin/overview.h"

#include "base/encodings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::server {
namespace {

constexpr std::string_view kHead = R"(<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Partita</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root{color-scheme:light dark;--line:#8884;--bar:#3b82c4;--dim:#7a8794}
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .3rem}.dim{color:var(--dim)}
section{border:1px solid var(--line);border-radius:8px;padding:.7rem 1rem;margin:.6rem 0}
.head{display:flex;gap:1.5rem;flex-wrap:wrap;align-items:baseline}.head b{font-size:1.05rem}
table{border-collapse:collapse;width:100%;margin-top:.4rem}td,th{padding:.15rem .6rem .15rem 0;text-align:left;font-variant-numeric:tabular-nums;white-space:nowrap}
th{font-weight:500;color:var(--dim)}td.bar{width:55%}.bar div{background:var(--bar);height:.8rem;border-radius:3px;min-width:2px}
code{font-size:.85em}
</style></head><body>)";

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string size_text(uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KB", "MB", "GB", "TB"};
  double amount = static_cast<double>(bytes);
  size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  return fmt::format("{:.{}f} {}", amount, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string key_text(const Container& container) {
  std::string text;
  for (const DocumentPath& path : container.definition.partition_key.paths) text += (text.empty() ? "" : ", ") + path.text();
  return text.empty() ? "none" : text;
}

// Hashes are long; their beginning tells where a range lies.
std::string hash_text(std::string_view hash) { return hex_upper(hash.substr(0, 4)); }

void add_container(std::string& page, const Catalog& catalog, const Container& container) {
  uint64_t most = 1;
  uint64_t documents = 0;
  uint64_t bytes = 0;
  std::vector<PartitionCounters> all;
  for (const PartitionPlace& place : container.places) {
    all.push_back(place.partition->counters());
    most = std::max(most, all.back().stored_bytes());
    documents += all.back().documents;
    bytes += all.back().stored_bytes();
  }
  const std::shared_ptr<const Offer> offer = catalog.offers().of(container.database->number, container.number);
  page += fmt::format(
      R"(<section><div class="head"><b>{}</b><span>key <code>{}</code></span><span>{}</span><span>{} documents, {}</span></div>)",
      escaped(container.definition.id), escaped(key_text(container)),
      offer ? fmt::format("{} RU/s{}", offer->throughput.planned(), offer->throughput.autoscale_max ? " autoscale" : "")
            : "shared throughput",
      documents, size_text(bytes));
  page += "<table><tr><th>partition</th><th>hashes from</th><th>documents</th><th>size</th><th></th></tr>";
  for (size_t i = 0; i < all.size(); ++i) {
    const PartitionPlace& place = container.places[i];
    page += fmt::format(
        R"(<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td><td class="bar"><div style="width:{}%"></div></td></tr>)",
        place.range_id, hash_text(place.range().min), all[i].documents, size_text(all[i].stored_bytes()),
        all[i].stored_bytes() * 100 / most);
  }
  page += "</table></section>";
}

}  // namespace

std::string overview_html(const Catalog& catalog) {
  std::string page(kHead);
  page += fmt::format(
      "<h1>Partita {}</h1><p class=\"dim\">What is stored, and how it is spread over physical partitions. Also here: "
      "<a href=\"/_health/ready\">health</a>, <a href=\"/_metrics\">metrics</a>, <a "
      "href=\"/_explorer/emulator.pem\">certificate</a>.</p>",
      PARTITA_VERSION);
  const Catalog::Databases databases = catalog.databases();
  if (databases.empty()) page += "<p>There is no database yet. Point an SDK at this address and create one.</p>";
  for (const std::shared_ptr<const Database>& database : databases) {
    page += fmt::format("<h2>{}</h2>", escaped(database->id));
    const Result<Catalog::Containers> containers = catalog.containers(database->rid());
    if (!containers) continue;  // deleted meanwhile
    if (containers->empty()) page += "<p class=\"dim\">No container yet.</p>";
    for (const std::shared_ptr<const Container>& container : *containers) add_container(page, catalog, *container);
  }
  return page + "</body></html>\n";
}

}  // namespace partita::server

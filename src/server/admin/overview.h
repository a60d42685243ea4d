#pragma once

#include "cluster/catalog/catalog.h"

#include <string>

namespace partita::server {

// A page that shows what is stored and how it is spread over physical partitions. Reads counters only, no documents.
std::string overview_html(const Catalog& catalog);

}  // namespace partita::server

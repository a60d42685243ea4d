#pragma once

#include <array>
#include <string_view>

// For tests and fuzzers.
namespace partita::server {

// What the server itself answers, as texts to start mutations from (request_text.h). Each must succeed, in this order.
inline constexpr std::array kServerSeeds = std::to_array<std::string_view>({
    "GET /_health\n\n",
    "GET /_health/alive\nhost: [::1]:8081\n\n",
    "GET /_health/ready\nhost: example.org\nsec-fetch-site: none\n\n",
    "GET /_metrics\nhost: 127.0.0.1\n\n",
    "GET /_metrics\nhost: example.org\nauthorization: Bearer bWV0cmljcw==\n\n",
    "GET /_explorer/\nsec-fetch-site: cross-site\nsec-fetch-mode: navigate\nsec-fetch-dest: document\n\n",
    "GET /_explorer/index.html\norigin: http://localhost\n\n",
    "GET /_explorer/emulator.pem\nhost: example.org\n\n",
    "GET /_partita/reshapes\nauthorization: readonly\n\n",
    "GET /_partita/statistics\nauthorization: readonly\nhost: example.org\n\n",
    "GET /_partita/statistics?history=true&sizes=true\nauthorization: key\n\n",
    "GET /_partita/workload?database=db&container=c\nauthorization: readonly\n\n",
    "GET /_partita/export?database=db&container=c\nauthorization: readonly\n\n",
    "POST /_partita/import?database=db&container=old\nauthorization: key\n\n{\"id\":\"1\"}\n\n{\"id\":\"2\",\"_ts\":1}",
    "POST /_partita/reset-budgets\nauthorization: key\n\n",
    "POST /_partita/plan\nauthorization: key\n\n"
    "{\"database\":\"db\",\"container\":\"c\",\"throughput\":60000,\"partitionBytes\":1000,\"merge\":true}",
    "POST /_partita/plan\nauthorization: key\n\n"
    "{\"database\":\"db\",\"container\":\"old\",\"json\":true,\"partitionKeys\":[[\"/a\",\"/b\"]]}",
    "POST /_partita/split\nauthorization: key\n\n{\"database\":\"db\",\"container\":\"h\",\"range\":\"0\",\"at\":\"10\"}",
    "POST /_partita/merge\nauthorization: key\n\n"
    "{\"database\":\"db\",\"container\":\"h\",\"range\":\"1\",\"mode\":\"offline\"}",
    "POST /_partita/rekey\nauthorization: key\n\n"
    "{\"database\":\"db\",\"container\":\"h\",\"partitionKey\":{\"paths\":[\"/t\"],\"kind\":\"Hash\",\"version\":2},"
    "\"mode\":\"readOnly\"}",
    "POST /_partita/rekey\nauthorization: key\n\n"
    "{\"database\":\"db\",\"container\":\"h\",\"partitionKey\":{\"paths\":[\"/a\",\"/b\",\"/d/e\"],\"kind\":\"MultiHash\","
    "\"version\":2}}",
    "GET /dbs/db/colls\nauthorization: readonly\nhost: example.org\norigin: https://pages.example.org\n\n",
    "OPTIONS /dbs/db\nhost: example.org\norigin: https://pages.example.org\naccess-control-request-method: GET\n\n",
    "GET /dbs/db\nauthorization: key\nhost: localhost:8081\norigin: http://localhost:8081\nsec-fetch-site: same-origin\n\n",
    "HEAD /_partita/health/ready\n\n",
    "GET /_partita/health/alive\nhost: example.org\n\n",
    "GET /_partita/metrics\nhost: example.org\nauthorization: Bearer bWV0cmljcw==\n\n",
    "GET /_partita/overview\n\n",
    "GET /_partita/certificate\nhost: example.org\n\n",
});

}  // namespace partita::server

#pragma once

#include "protocols/cosmos/fuzz/request_text.h"

#include <string>
#include <string_view>
#include <vector>

// A conversation with an account in which every operation has its turn: where mutations start from.
namespace partita::cosmos::fuzz {

// Sent in this order to a new account; each must succeed. A header or a body may quote what earlier answers gave: $continuation,
// $etag, $session, $rid and $self are those of the last answer that had one, $item is the resource id of a document.
inline const std::vector<std::string_view>& seed_texts() {
  static const std::vector<std::string_view> texts = {
      "GET /\nauthorization: readonly\n\n",
      "POST /dbs\nauthorization: key\n\n{\"id\":\"db\"}",
      "POST /dbs\nauthorization: key\nx-ms-cosmos-offer-autopilot-settings: {\"maxThroughput\":4000}\n\n{\"id\":\"other\"}",
      "GET /dbs\nauthorization: readonly\nx-ms-max-item-count: 1\n\n",
      "GET /dbs\nauthorization: readonly\nx-ms-continuation: $continuation\n\n",
      "POST /dbs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n\n"
      "{\"query\":\"SELECT r.id FROM r WHERE r.id = @id\",\"parameters\":[{\"name\":\"@id\",\"value\":\"db\"}]}",
      "GET /dbs/db\nauthorization: key\n\n",
      // A simple key with several partitions, every kind of index, and versions.
      "POST /dbs/db/colls\nauthorization: key\nx-ms-offer-throughput: 35000\n\n"
      "{\"id\":\"c\",\"partitionKey\":{\"paths\":[\"/pk\"],\"kind\":\"Hash\",\"version\":2},\"defaultTtl\":-1,"
      "\"uniqueKeyPolicy\":{\"uniqueKeys\":[{\"paths\":[\"/u\"]}]},"
      "\"indexingPolicy\":{\"indexingMode\":\"consistent\",\"includedPaths\":[{\"path\":\"/*\"}],\"excludedPaths\":[{\"path\":\"/"
      "x/*\"}],"
      "\"compositeIndexes\":[[{\"path\":\"/n\",\"order\":\"ascending\"},{\"path\":\"/s\",\"order\":\"descending\"}]],"
      "\"spatialIndexes\":[{\"path\":\"/p/*\",\"types\":[\"Point\",\"Polygon\"]}]},"
      "\"changeFeedPolicy\":{\"retentionDuration\":10}}",
      "POST /dbs/db/colls\nauthorization: key\n\n"
      "{\"id\":\"h\",\"partitionKey\":{\"paths\":[\"/a\",\"/b\",\"/d/e\"],\"kind\":\"MultiHash\",\"version\":2},"
      "\"vectorEmbeddingPolicy\":{\"vectorEmbeddings\":[{\"path\":\"/v\",\"dataType\":\"float32\",\"dimensions\":3,"
      "\"distanceFunction\":\"cosine\"}]},\"fullTextPolicy\":{\"defaultLanguage\":\"en-US\",\"fullTextPaths\":[{\"path\":\"/t\","
      "\"language\":\"en-US\"}]},\"indexingPolicy\":{\"vectorIndexes\":[{\"path\":\"/v\",\"type\":\"flat\"}],"
      "\"fullTextIndexes\":[{\"path\":\"/t\"}]},\"computedProperties\":[{\"name\":\"low\",\"query\":\"SELECT VALUE LOWER(c.t) "
      "FROM c\"}]}",
      "POST /dbs/db/colls\nauthorization: key\nx-ms-version: 2018-06-18\n\n{\"id\":\"old\"}",
      // Keys that are computed, the second one with a random part.
      "POST /dbs/db/colls\nauthorization: key\n\n"
      "{\"id\":\"k\",\"partitionKey\":{\"paths\":[\"/"
      "pk\"],\"kind\":\"Hash\",\"version\":2},\"computedProperties\":[{\"name\":\"pk\","
      "\"query\":\"SELECT VALUE CONCAT(c.a, '-', ToString(c.b)) FROM c\"},{\"name\":\"low\",\"query\":\"SELECT VALUE LOWER(c.t) "
      "FROM c\"}]}",
      "POST /dbs/db/colls\nauthorization: key\n\n"
      "{\"id\":\"kr\",\"partitionKey\":{\"paths\":[\"/"
      "pk\"],\"kind\":\"Hash\",\"version\":2},\"computedProperties\":[{\"name\":\"pk\","
      "\"query\":\"SELECT VALUE CONCAT(c.a, '.', ToString(RANDOM_BUCKET(4))) FROM c\"}]}",
      "GET /dbs/db/colls\nauthorization: readonly\nx-ms-max-item-count: 2\n\n",
      "GET /dbs/db/colls\nauthorization: readonly\nx-ms-continuation: $continuation\n\n",
      "POST /dbs/db/colls\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n\n"
      "{\"query\":\"SELECT * FROM r WHERE r.id != 'x' ORDER BY r.id\"}",
      "GET /dbs/db/colls/c\nauthorization: readonly\nx-ms-documentdb-populatequotainfo: True\n\n",
      "PUT /dbs/db/colls/old\nauthorization: key\n\n{\"id\":\"old\",\"defaultTtl\":1000}",
      "GET /dbs/db/colls/c/pkranges\nauthorization: readonly\n\n",
      "GET /dbs/db/colls/c/pkranges/0\nauthorization: readonly\n\n",
      "GET /addresses?$resolveFor=dbs&$filter=protocol%20eq%20rntbd\nauthorization: readonly\n\n",
      "GET //addresses/?$resolveFor=dbs%2fdb%2fcolls%2fc%2fdocs&$filter=protocol%20eq%20rntbd&$partitionKeyRangeIds=0%2c1\n"
      "authorization: readonly\nx-ms-force-refresh: True\n\n",
      // Documents.
      "POST /dbs/db/colls/c/docs\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n"
      "{\"id\":\"d1\",\"pk\":\"k1\",\"n\":1,\"s\":\"a\",\"u\":1,\"ttl\":100000,\"p\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
      "\"l\":[1,[2,{\"x\":3}]]}",
      "POST /dbs/db/colls/c/docs\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k2\"]\nx-ms-documentdb-is-upsert: True\n\n"
      "{\"id\":\"d2\",\"pk\":\"k2\",\"n\":2,\"s\":\"b\"}",
      "POST /dbs/db/colls/c/docs\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k1\"]\nprefer: return=minimal\n\n"
      "{\"id\":\"d3\",\"pk\":\"k1\",\"n\":1e300,\"s\":null,\"u\":3}",
      "POST /dbs/db/colls/c/docs\nauthorization: key\nx-ms-documentdb-partitionkey: [{}]\nx-ms-indexing-directive: Include\n\n"
      "{\"id\":\"d4\",\"n\":-1,\"s\":\"\\ud800\"}",
      "GET /dbs/db/colls/c/docs/d1\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"k1\"]\nx-ms-session-token: "
      "$session\n\n",
      "GET /dbs/db/colls/c/docs/d1\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"k1\"]\nif-none-match: $etag\n\n",
      "PUT /dbs/db/colls/c/docs/d1\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k1\"]\nif-match: $etag\n\n"
      "{\"id\":\"d1\",\"pk\":\"k1\",\"n\":3,\"s\":\"c\",\"u\":1,\"l\":[1,[2]]}",
      "PATCH /dbs/db/colls/c/docs/d1\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k1\"]\ncontent-type: "
      "application/json_patch+json\n\n"
      "{\"condition\":\"from c where c.n > "
      "0\",\"operations\":[{\"op\":\"add\",\"path\":\"/l/-\",\"value\":1},{\"op\":\"incr\",\"path\":\"/n\",\"value\":2},"
      "{\"op\":\"set\",\"path\":\"/m\",\"value\":{\"a\":[]}},{\"op\":\"move\",\"from\":\"/m\",\"path\":\"/o\"}]}",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-max-item-count: 1\n\n",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-max-item-count: 1\nx-ms-continuation: $continuation\n\n",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-partitionkeyrangeid: 0\nx-ms-start-epk: "
      "05C1\nx-ms-end-epk: 15C1\n\n",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"k1\"]\nx-ms-max-item-count: 1\n\n",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"k1\"]\nx-ms-continuation: "
      "$continuation\n\n",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\na-im: Incremental feed\nx-ms-max-item-count: 1\n\n",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\na-im: Incremental feed\nif-none-match: "
      "$etag\nx-ms-documentdb-partitionkeyrangeid: 0\n\n",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\na-im: Incremental feed\nif-modified-since: Tue, 14 Nov 2023 22:13:20 "
      "GMT\n\n",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\na-im: Full-Fidelity Feed\nif-none-match: *\n\n",
      "GET /dbs/db/colls/c/docs\nauthorization: readonly\na-im: Full-Fidelity Feed\nif-none-match: $etag\n\n",
      "POST /dbs/db/colls/c/docs\nauthorization: key\nx-ms-cosmos-is-batch-request: True\nx-ms-cosmos-batch-atomic: True\n"
      "x-ms-documentdb-partitionkey: [\"k3\"]\n\n"
      "[{\"operationType\":\"Upsert\",\"resourceBody\":{\"id\":\"b1\",\"pk\":\"k3\",\"u\":4}},{\"operationType\":\"Read\",\"id\":"
      "\"b1\"},"
      "{\"operationType\":\"Patch\",\"id\":\"b1\",\"resourceBody\":{\"operations\":[{\"op\":\"set\",\"path\":\"/"
      "n\",\"value\":1}]}},"
      "{\"operationType\":\"Replace\",\"id\":\"b1\",\"ifMatch\":\"*\",\"resourceBody\":{\"id\":\"b1\",\"pk\":\"k3\",\"u\":5}},"
      "{\"operationType\":\"Delete\",\"id\":\"b1\"}]",
      "POST /dbs/db/colls/c/docs\nauthorization: key\nx-ms-cosmos-is-batch-request: True\nx-ms-cosmos-batch-continue-on-error: "
      "True\n"
      "x-ms-documentdb-partitionkeyrangeid: 0\n\n"
      "[{\"operationType\":\"Read\",\"id\":\"d1\",\"partitionKey\":\"[\\\"k1\\\"]\"},{\"operationType\":\"Upsert\","
      "\"partitionKey\":"
      "\"[\\\"k5\\\"]\",\"resourceBody\":{\"id\":\"b5\",\"pk\":\"k5\",\"u\":9}}]",
      // Computed keys.
      "POST /dbs/db/colls/k/docs\nauthorization: key\n\n{\"id\":\"k1\",\"a\":\"x\",\"b\":1,\"t\":\"T\"}",
      "GET /dbs/db/colls/k/docs/k1\nauthorization: readonly\nx-partita-key-of: {\"a\":\"x\",\"b\":1}\n\n",
      "PUT /dbs/db/colls/k/docs/k1\nauthorization: key\nx-partita-key-of: {\"a\":\"x\",\"b\":1}\n\n"
      "{\"id\":\"k1\",\"a\":\"x\",\"b\":1,\"n\":2}",
      "POST /dbs/db/colls/k/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\n\n"
      "{\"query\":\"SELECT c.pk, c.low FROM c WHERE c.a = 'x' AND c.b = 1\"}",
      // Hierarchical keys, vectors and words.
      "POST /dbs/db/colls/h/docs\nauthorization: key\nx-ms-documentdb-partitionkey: [\"a\",1,true]\n\n"
      "{\"id\":\"h1\",\"a\":\"a\",\"b\":1,\"d\":{\"e\":true},\"v\":[1,0,0.5],\"t\":\"The quick brown fox\"}",
      "POST /dbs/db/colls/h/docs\nauthorization: key\nx-ms-documentdb-partitionkey: [\"a\",2,null]\n\n"
      "{\"id\":\"h2\",\"a\":\"a\",\"b\":2,\"d\":{\"e\":null},\"v\":[0,1,0],\"t\":\"jumps over the lazy dog\"}",
      "GET /dbs/db/colls/h/docs\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"a\"]\nx-ms-max-item-count: 1\n\n",
      "GET /dbs/db/colls/h/docs\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"a\"]\nx-ms-continuation: "
      "$continuation\n\n",
      "GET /dbs/db/colls/h/docs/h1\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"a\",1,true]\n\n",
      // Queries, each with its continuation.
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\nx-ms-documentdb-populatequerymetrics: True\n"
      "x-ms-cosmos-populateindexmetrics: True\n\n{\"query\":\"SELECT * FROM c WHERE c.n > "
      "@n\",\"parameters\":[{\"name\":\"@n\",\"value\":0}]}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\nx-ms-continuation: $continuation\n\n"
      "{\"query\":\"SELECT * FROM c WHERE c.n > @n\",\"parameters\":[{\"name\":\"@n\",\"value\":0}]}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\n\n"
      "{\"query\":\"SELECT VALUE c.id FROM c ORDER BY c.n DESC, c.s OFFSET 0 LIMIT 10\"}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\n\n"
      "{\"query\":\"SELECT VALUE c.id FROM c ORDER BY c.n\"}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\nx-ms-continuation: $continuation\n\n"
      "{\"query\":\"SELECT VALUE c.id FROM c ORDER BY c.n\"}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\n\n"
      "{\"query\":\"SELECT x.s, x.k FROM (SELECT c.s, COUNT(1) AS k FROM c GROUP BY c.s) AS x\"}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\nx-ms-continuation: $continuation\n\n"
      "{\"query\":\"SELECT x.s, x.k FROM (SELECT c.s, COUNT(1) AS k FROM c GROUP BY c.s) AS x\"}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\n\n"
      "{\"query\":\"SELECT DISTINCT VALUE e FROM c JOIN e IN c.l WHERE IS_DEFINED(e)\"}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\nx-ms-continuation: $continuation\n\n"
      "{\"query\":\"SELECT DISTINCT VALUE e FROM c JOIN e IN c.l WHERE IS_DEFINED(e)\"}",
      "POST /dbs/db/colls/h/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\n\n"
      "{\"query\":\"SELECT TOP 5 c.id FROM c ORDER BY VectorDistance(c.v, [1,0,0])\"}",
      "POST /dbs/db/colls/h/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-ms-max-item-count: 1\n\n"
      "{\"query\":\"SELECT TOP 5 c.id FROM c ORDER BY RANK RRF(FullTextScore(c.t, 'fox', 'dog'), VectorDistance(c.v, "
      "[1,0,0]))\"}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\nx-partita-explain: True\n\n"
      "{\"query\":\"SELECT * FROM c WHERE ST_DISTANCE(c.p, {'type':'Point','coordinates':[1,2]}) < 10 AND CONTAINS(c.s, 'a', "
      "true)\"}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-cosmos-is-query-plan-request: True\ncontent-type: "
      "application/query+json\n"
      "x-ms-cosmos-supported-query-features: Aggregate, CompositeAggregate, Distinct, GroupBy, MultipleAggregates, "
      "OffsetAndLimit, OrderBy, Top\n\n"
      "{\"query\":\"SELECT AVG(c.n), c.s FROM c GROUP BY c.s\"}",
      // Scripts.
      "POST /dbs/db/colls/c/sprocs\nauthorization: key\n\n"
      "{\"id\":\"s\",\"body\":\"function (n) { var c = getContext().getCollection(); c.queryDocuments(c.getSelfLink(), 'SELECT * "
      "FROM c',"
      " {pageSize: 1}, function (e, d, o) { getContext().getResponse().setBody({n: n, d: d, o: o}); }); }\"}",
      "POST /dbs/db/colls/c/triggers\nauthorization: key\n\n"
      "{\"id\":\"t\",\"triggerType\":\"Pre\",\"triggerOperation\":\"All\",\"body\":\"function () { var r = "
      "getContext().getRequest();"
      " var d = r.getBody(); d.seen = true; r.setBody(d); }\"}",
      "POST /dbs/db/colls/c/udfs\nauthorization: key\n\n{\"id\":\"f\",\"body\":\"function (x) { return x + 1; }\"}",
      "GET /dbs/db/colls/c/sprocs\nauthorization: readonly\n\n",
      "GET /dbs/db/colls/c/triggers\nauthorization: readonly\n\n",
      "GET /dbs/db/colls/c/udfs\nauthorization: readonly\n\n",
      "POST /dbs/db/colls/c/sprocs\nauthorization: readonly\nx-ms-documentdb-isquery: True\n\n{\"query\":\"SELECT * FROM s\"}",
      "POST /dbs/db/colls/c/triggers\nauthorization: readonly\nx-ms-documentdb-isquery: True\n\n{\"query\":\"SELECT * FROM s\"}",
      "POST /dbs/db/colls/c/udfs\nauthorization: readonly\nx-ms-documentdb-isquery: True\n\n{\"query\":\"SELECT VALUE s.id FROM "
      "s\"}",
      "POST /dbs/db/colls/c/sprocs\nauthorization: key\nx-ms-documentdb-is-upsert: True\n\n{\"id\":\"s\",\"body\":\"function () "
      "{}\"}",
      "POST /dbs/db/colls/c/triggers\nauthorization: key\nx-ms-documentdb-is-upsert: True\n\n"
      "{\"id\":\"t\",\"triggerType\":\"Pre\",\"triggerOperation\":\"All\",\"body\":\"function () {}\"}",
      "POST /dbs/db/colls/c/udfs\nauthorization: key\nx-ms-documentdb-is-upsert: True\n\n{\"id\":\"f\",\"body\":\"function (x) { "
      "return x; }\"}",
      "GET /dbs/db/colls/c/sprocs/s\nauthorization: readonly\n\n",
      "GET /dbs/db/colls/c/triggers/t\nauthorization: readonly\n\n",
      "GET /dbs/db/colls/c/udfs/f\nauthorization: readonly\n\n",
      "PUT /dbs/db/colls/c/udfs/f\nauthorization: key\n\n{\"id\":\"f\",\"body\":\"function (x) { return x + 2; }\"}",
      "PUT /dbs/db/colls/c/sprocs/s\nauthorization: key\n\n{\"id\":\"s\",\"body\":\"function (n) { "
      "getContext().getResponse().setBody(n); }\"}",
      "PUT /dbs/db/colls/c/triggers/t\nauthorization: key\n\n"
      "{\"id\":\"t\",\"triggerType\":\"Pre\",\"triggerOperation\":\"Create\",\"body\":\"function () { }\"}",
      "POST /dbs/db/colls/c/sprocs/s\nauthorization: key\nx-ms-documentdb-partitionkey: "
      "[\"k1\"]\nx-ms-documentdb-script-enable-logging: True\n\n[1,{\"a\":null}]",
      "POST /dbs/db/colls/c/docs\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k6\"]\nx-ms-documentdb-is-upsert: True\n"
      "x-ms-documentdb-pre-trigger-include: t\n\n{\"id\":\"d6\",\"pk\":\"k6\",\"u\":6}",
      "POST /dbs/db/colls/c/docs\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-query-enablecrosspartition: True\n\n{\"query\":\"SELECT VALUE udf.f(c.n) FROM c\"}",
      // Attachments and media.
      "POST /dbs/db/colls/c/docs/d1/attachments\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n"
      "{\"id\":\"a1\",\"contentType\":\"text/plain\",\"media\":\"http://localhost/x\"}",
      "POST /dbs/db/colls/c/docs/d1/attachments\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k1\"]\ncontent-type: "
      "image/png\nslug: a2\n\nbytes",
      "POST /dbs/db/colls/c/docs/d1/attachments\nauthorization: key\nx-ms-documentdb-is-upsert: True\n"
      "x-ms-documentdb-partitionkey: [\"k1\"]\n\n{\"id\":\"a1\",\"contentType\":\"text/plain\",\"media\":\"http://localhost/x\"}",
      "GET /$media\nauthorization: key\n\n",
      "PUT /$media\nauthorization: key\ncontent-type: image/png\n\nother bytes",
      "GET /dbs/db/colls/c/docs/d1/attachments\nauthorization: readonly\nx-ms-documentdb-partitionkey: "
      "[\"k1\"]\nx-ms-max-item-count: 1\n\n",
      "GET /dbs/db/colls/c/docs/d1/attachments\nauthorization: readonly\nx-ms-documentdb-partitionkey: "
      "[\"k1\"]\nx-ms-continuation: $continuation\n\n",
      "POST /dbs/db/colls/c/docs/d1/attachments\nauthorization: readonly\nx-ms-documentdb-partitionkey: "
      "[\"k1\"]\nx-ms-documentdb-isquery: True\n\n"
      "{\"query\":\"SELECT * FROM a\"}",
      "GET /dbs/db/colls/c/docs/d1/attachments/a1\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n",
      "PUT /dbs/db/colls/c/docs/d1/attachments/a1\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n"
      "{\"id\":\"a1\",\"contentType\":\"text/html\",\"media\":\"http://localhost/y\"}",
      "DELETE /dbs/db/colls/c/docs/d1/attachments/a1\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n",
      // Users, permissions and keys of clients.
      "POST /dbs/db/users\nauthorization: key\n\n{\"id\":\"u\"}",
      "POST /dbs/db/users\nauthorization: key\nx-ms-documentdb-is-upsert: True\n\n{\"id\":\"u\"}",
      "GET /dbs/db/users\nauthorization: key\n\n",
      "POST /dbs/db/users\nauthorization: key\nx-ms-documentdb-isquery: True\n\n{\"query\":\"SELECT * FROM u\"}",
      "GET /dbs/db/users/u\nauthorization: key\n\n",
      "POST /dbs/db/users/u/permissions\nauthorization: key\nx-ms-documentdb-expiry-seconds: 3600\n\n"
      "{\"id\":\"p\",\"permissionMode\":\"All\",\"resource\":\"dbs/db/colls/c\",\"resourcePartitionKey\":[\"k1\"]}",
      "POST /dbs/db/users/u/permissions\nauthorization: key\nx-ms-documentdb-is-upsert: True\n\n"
      "{\"id\":\"p\",\"permissionMode\":\"All\",\"resource\":\"dbs/db/colls/c\",\"resourcePartitionKey\":[\"k1\"]}",
      "GET /dbs/db/users/u/permissions/p\nauthorization: key\nx-ms-documentdb-expiry-seconds: 600\n\n",
      "GET /dbs/db/users/u/permissions\nauthorization: key\n\n",
      "POST /dbs/db/users/u/permissions\nauthorization: key\nx-ms-documentdb-isquery: True\n\n{\"query\":\"SELECT * FROM p\"}",
      "PUT /dbs/db/users/u/permissions/p\nauthorization: key\n\n"
      "{\"id\":\"p\",\"permissionMode\":\"Read\",\"resource\":\"dbs/db/colls/c\",\"resourcePartitionKey\":[\"k1\"]}",
      "GET /dbs/db/colls/c/docs/d1\nauthorization: token\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n",
      "POST /dbs/db/colls/c/docs\nauthorization: token\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n"
      "x-ms-documentdb-partitionkey: [\"k1\"]\n\n{\"query\":\"SELECT * FROM c\"}",
      "POST /dbs/db/clientencryptionkeys\nauthorization: key\n\n"
      "{\"id\":\"e\",\"encryptionAlgorithm\":\"AEAD_AES_256_CBC_HMAC_SHA256\",\"keyWrapMetadata\":{\"type\":\"t\",\"name\":\"n\","
      "\"value\":\"v\","
      "\"algorithm\":\"RSA-OAEP\"},\"wrappedDataEncryptionKey\":\"AAAA\"}",
      "POST /dbs/db/clientencryptionkeys\nauthorization: key\nx-ms-documentdb-is-upsert: True\n\n"
      "{\"id\":\"e\",\"encryptionAlgorithm\":\"AEAD_AES_256_CBC_HMAC_SHA256\",\"keyWrapMetadata\":{\"type\":\"t\",\"name\":\"n\","
      "\"value\":\"v\","
      "\"algorithm\":\"RSA-OAEP\"},\"wrappedDataEncryptionKey\":\"AAAA\"}",
      "GET /dbs/db/clientencryptionkeys\nauthorization: readonly\n\n",
      "POST /dbs/db/clientencryptionkeys\nauthorization: readonly\nx-ms-documentdb-isquery: True\n\n{\"query\":\"SELECT * FROM "
      "k\"}",
      "GET /dbs/db/clientencryptionkeys/e\nauthorization: readonly\n\n",
      "PUT /dbs/db/clientencryptionkeys/e\nauthorization: key\n\n"
      "{\"id\":\"e\",\"encryptionAlgorithm\":\"AEAD_AES_256_CBC_HMAC_SHA256\",\"keyWrapMetadata\":{\"type\":\"t\",\"name\":\"n\","
      "\"value\":\"w\","
      "\"algorithm\":\"RSA-OAEP\"},\"wrappedDataEncryptionKey\":\"AAAB\"}",
      "PUT /dbs/db/users/u\nauthorization: key\n\n{\"id\":\"u\"}",
      // Offers and conflicts.
      "GET /offers\nauthorization: readonly\n\n",
      "POST /offers\nauthorization: readonly\nx-ms-documentdb-isquery: True\ncontent-type: application/query+json\n\n"
      "{\"query\":\"SELECT * FROM root WHERE root.resource != 'x'\"}",
      "GET /offers/$offer\nauthorization: readonly\n\n",
      "PUT /offers/$offer\nauthorization: key\n\n$body",
      "GET /dbs/db/colls/c/conflicts\nauthorization: readonly\n\n",
      "POST /dbs/db/colls/c/conflicts\nauthorization: readonly\nx-ms-documentdb-isquery: True\n"
      "x-ms-documentdb-query-enablecrosspartition: True\n\n{\"query\":\"SELECT * FROM c\"}",
      // By resource ids.
      "GET /$container\nauthorization: readonly\n\n",
      "GET /$item\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n",
      // What goes again.
      "POST /dbs\nauthorization: key\n\n{\"id\":\"gone\"}",
      "POST /dbs/gone/colls\nauthorization: key\n\n{\"id\":\"gone\",\"partitionKey\":{\"paths\":[\"/pk\"]}}",
      "POST /dbs/db/users\nauthorization: key\n\n{\"id\":\"gone\"}",
      "POST /dbs/db/users/u/permissions\nauthorization: "
      "key\n\n{\"id\":\"gone\",\"permissionMode\":\"Read\",\"resource\":\"dbs/db/colls/h\"}",
      "POST /dbs/db/colls/c/udfs\nauthorization: key\n\n{\"id\":\"gone\",\"body\":\"function () {}\"}",
      "POST /dbs/db/colls/c/sprocs\nauthorization: key\n\n{\"id\":\"gone\",\"body\":\"function () {}\"}",
      "POST /dbs/db/colls/c/triggers\nauthorization: key\n\n"
      "{\"id\":\"gone\",\"triggerType\":\"Post\",\"triggerOperation\":\"All\",\"body\":\"function () {}\"}",
      "DELETE /dbs/db/colls/c/udfs/gone\nauthorization: key\n\n",
      "DELETE /dbs/db/colls/c/sprocs/gone\nauthorization: key\n\n",
      "DELETE /dbs/db/colls/c/triggers/gone\nauthorization: key\n\n",
      "DELETE /dbs/db/users/u/permissions/gone\nauthorization: key\n\n",
      "DELETE /dbs/db/users/gone\nauthorization: key\n\n",
      "DELETE /dbs/gone/colls/gone\nauthorization: key\n\n",
      "DELETE /dbs/gone\nauthorization: key\n\n",
      "DELETE /dbs/db/colls/c/docs/d2\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k2\"]\n\n",
      "POST /dbs/db/colls/c/operations/partitionkeydelete\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k9\"]\n\n",
  };
  return texts;
}

// What is answered with an error because there is nothing to answer with; that they are served is known by the router's table.
inline const std::vector<std::string_view>& refused_seed_texts() {
  static const std::vector<std::string_view> texts = {
      "GET /dbs/db/colls/c/conflicts/none\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n",
      "DELETE /dbs/db/colls/c/conflicts/none\nauthorization: key\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n",
      "OPTIONS /dbs/db\norigin: http://localhost\naccess-control-request-method: GET\n\n",
      "HEAD /dbs/db/colls/c/docs/none\nauthorization: readonly\nx-ms-documentdb-partitionkey: [\"k1\"]\n\n",
  };
  return texts;
}

}  // namespace partita::cosmos::fuzz

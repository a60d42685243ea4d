// Prints resolver-choices.txt: what the npm package documentdb 1.15 chooses.
//   npm install documentdb@1.15.3 && node make-resolver-choices.js > resolver-choices.txt
"use strict";
const { HashPartitionResolver, RangePartitionResolver, Range } = require("documentdb");

const links = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const rings = [
  links(1, (i) => `dbs/db/colls/c${i}`),
  links(3, (i) => `dbs/db/colls/coll${i}`),
  links(16, (i) => `dbs/shop/colls/orders-${i}`),
  links(5, (i) => `dbs/ü ber/colls/中文 ${i}`),
];
const keys = ["", "a", "b", "ab", "abc", "abcd", "abcde", "été", "中文", "😀", "key with spaces", "x".repeat(1000), "0", "10", "9"];
for (let i = 0; i < 60; ++i) keys.push(`user-${i * 7919}`);

for (const ring of rings) {
  const resolver = new HashPartitionResolver("key", ring);
  console.log("ring " + JSON.stringify(ring));
  const points = resolver.consistentHashRing._partitions;
  console.log("points " + points.length + " " + points.slice(0, 4).map((point) => point.hashValue).join(" "));
  for (const key of keys) console.log(JSON.stringify(key) + " " + JSON.stringify(resolver.resolveForCreate(key)));
}

const map = [["a", "f"], ["g", "m"], ["m", "z"], ["9", "95"], ["10", "20"], ["\uE000", "\uFFFD"], ["😀", "😂"]];
console.log("ranges " + JSON.stringify(map));
const resolver = new RangePartitionResolver("key", map.map(([low, high], index) => ({ range: new Range({ low, high }), link: `link${index}` })));
for (const key of ["a", "f", "fa", "g", "m", "z", "za", "9", "94", "96", "1", "15", "150", "", "\uF000", "😁", "\uFFFF"]) {
  let created = null;
  try {
    created = resolver.resolveForCreate(key);
  } catch (error) {
    // There is none.
  }
  console.log(JSON.stringify(key) + " " + JSON.stringify(created) + " " + JSON.stringify(resolver.resolveForRead(key)));
}
console.log("spans");
for (const [low, high] of [["b", "h"], ["n", "n"], ["f", "g"], ["zz", "zzz"], ["", "\uFFFF"]]) {
  console.log(JSON.stringify([low, high]) + " " + JSON.stringify(resolver.resolveForRead({ low, high })));
}

// Queries written as JavaScript: __.filter(f), __.chain().map(f).sortBy(g).value(options, callback).
//
// A chain runs over pages of documents. One that sorts has to see all of them first; its continuation counts results.

const kTypeRank = { undefined: 0, null: 1, boolean: 2, number: 3, string: 4, array: 5, object: 6 };

function rankOf(value) {
  if (value === null) return kTypeRank.null;
  return Array.isArray(value) ? kTypeRank.array : kTypeRank[typeof value];
}

function compareKeys(left, right) {
  const ranks = rankOf(left) - rankOf(right);
  if (ranks !== 0 || left === right) return ranks;
  return left < right ? -1 : left > right ? 1 : 0;
}

function sorted(rows, keyOf, direction) {
  return rows.map((row) => [keyOf(row), row]).sort((a, b) => direction * compareKeys(a[0], b[0])).map((pair) => pair[1]);
}

function unwound(rows, select, combine) {
  return rows.flatMap((row) => {
    const elements = select(row);
    return combine === undefined ? elements : elements.map((element) => combine(row, element));
  });
}

function needFunction(value, message) {
  if (typeof value !== "function") raise(ErrorCodes.BadRequest, message);
}

const kNeedsPredicate = "The predicate/transform function must be provided.";

// How each step is made from its arguments (without the collection), and how many of them are its own.
const kSteps = {
  filter: (f) => (needFunction(f, kNeedsPredicate), { own: 1, apply: (rows) => rows.filter((row) => f(row)) }),
  map: (f) => (needFunction(f, kNeedsPredicate), { own: 1, apply: (rows) => rows.map((row) => f(row)) }),
  sortBy: (f) => (needFunction(f, kNeedsPredicate), { own: 1, isSort: true, apply: (rows) => sorted(rows, f, 1) }),
  sortByDescending: (f) => (needFunction(f, kNeedsPredicate), { own: 1, isSort: true, apply: (rows) => sorted(rows, f, -1) }),
  flatten: (isShallow) => ({
    own: typeof isShallow === "boolean" ? 1 : 0,
    apply: (rows) => (isShallow === true ? [].concat(...rows) : rows),
  }),
  pluck: (name) => {
    if (typeof name !== "string" || name === "") {
      raise(ErrorCodes.BadRequest, "The property name must be a string and cannot be empty.");
    }
    return { own: 1, apply: (rows) => rows.map((row) => row[name]) };
  },
  unwind: (select, combine) => {
    if (!select) raise(ErrorCodes.BadRequest, 'When using "unwind", "collectionSelector" must be used.');
    needFunction(select, 'When using "unwind", "collectionSelector" must be a function.');
    if (select.length !== 1) raise(ErrorCodes.BadRequest, '"collectionSelector" requires one argument.');
    const combines = typeof combine === "function";
    if (combines && combine.length < 2) raise(ErrorCodes.BadRequest, '"resultSelector" requires two arguments.');
    return { own: combines ? 2 : 1, apply: (rows) => unwound(rows, select, combines ? combine : undefined) };
  },
};

function appendToResponse(error, rows) {
  if (error) throw error;
  if (!hasResponse()) {
    raise(ErrorCodes.BadRequest,
      "The callback function must be provided for scenarios, such as pre-trigger, when response object is not available.");
  }
  response.appendBody(toJson(rows));
}

function runChain(steps, options, callback) {
  const checked = optionsAndCallback(options, callback);
  const report = checked.callback || appendToResponse;
  const isSorted = steps.some((next) => next.isSort);
  const size = Number(pageSizeOf(checked.options));
  const start = isSorted ? Number(checked.options.continuation || 0) : 0;
  // Sorted results are cut into pages here, others by the server.
  const cut = (results, feed) => (isSorted
    ? [results.slice(start, start + size), feedOptions(start + size < results.length ? String(start + size) : "")]
    : [results, feed]);
  const finish = (rows, feed) => {
    let results;
    try {
      results = steps.reduce((input, next) => next.apply(input), rows);
    } catch (error) {
      return report(error);
    }
    return report(undefined, ...cut(results, feed));
  };
  const isAccepted = isSorted ? runSorted(report, finish)
    : collection.readDocuments(links.self, checked.options, (error, rows, feed) => (error ? report(error) : finish(rows, feed)));
  return { isAccepted };
}

function runSorted(report, finish) {
  const all = [];
  const next = (continuation) => collection.readDocuments(links.self, { pageSize: 1000, continuation }, (error, rows, feed) => {
    if (error) return report(error);
    for (const row of rows) all[all.length] = row;
    if (feed.continuation === undefined) return finish(all, feed);
    if (!next(feed.continuation)) raise(ErrorCodes.RetryWith, "The script's time is over before all documents were sorted.");
    return undefined;
  });
  return next("");
}

function withoutCollection(given) {
  const values = Array.from(given);
  if (values[0] === collection || values[0] === __) values.shift();
  return values;
}

function makeChain(steps) {
  const chain = { isAccepted: true };
  for (const name of Object.keys(kSteps)) {
    chain[name] = (...given) => {
      const values = withoutCollection(given);
      const added = kSteps[name](...values);
      const rest = values.slice(added.own).filter((value) => value !== undefined);
      if (rest.some((value) => typeof value === "function")) {
        raise(ErrorCodes.BadRequest, 'When using "chain", the callback parameter can only be provided on the "value" function.');
      }
      if (rest.length > 0) {
        raise(ErrorCodes.BadRequest, 'When using "chain", options can only be provided on the call to the "value" function');
      }
      return makeChain([...steps, added]);
    };
  }
  chain.value = (options, callback) => runChain(steps, options, callback);
  return chain;
}

collection.chain = () => makeChain([]);
for (const name of Object.keys(kSteps)) {
  collection[name] = function (...given) {
    const values = withoutCollection(given);
    const only = kSteps[name](...values);
    return runChain([only], values[only.own], values[only.own + 1]);
  };
}

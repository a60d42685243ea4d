// The collection object: operations on the documents of the script's logical partition.
//
// An operation is queued and its function says at once whether it was accepted; the server runs it, and its callback, after the
// running function has returned. Nothing here guards the data: the server checks every operation itself.

const tasks = [];
let nextTask = 0;

function enqueue(operation, fields, complete) {
  if (!host.accepts()) return false;
  tasks[tasks.length] = { operation, fields, complete };
  return true;
}

// Runs the oldest queued operation. False when there is none.
function step() {
  if (nextTask === tasks.length) return false;
  const task = tasks[nextTask];
  tasks[nextTask++] = undefined;
  if (nextTask === tasks.length) tasks.length = nextTask = 0;
  const [number, body, continuation] = host.operate(task.operation, ...task.fields);
  if (number !== "0") {
    const error = new NumberedError(Number(number), body);
    error.body = body;
    task.complete(error);
  } else {
    task.complete(undefined, body, feedOptions(continuation));
  }
  return true;
}

function feedOptions(continuation) {
  const options = { currentCollectionSizeInMB: 0, maxCollectionSizeInMB: 10240 };
  if (continuation !== "") options.continuation = continuation;
  return options;
}

// The callback's second argument comes from `convert`; without a callback an error ends the script.
function completion(callback, convert) {
  return (error, body, options) => {
    if (callback === undefined) {
      if (error) throw error;
    } else if (error) {
      callback(error);
    } else if (convert === undefined) {
      callback(undefined, options);
    } else {
      callback(undefined, convert(body), options);
    }
  };
}

function optionsAndCallback(options, callback) {
  if (callback === undefined && typeof options === "function") return { options: {}, callback: options };
  if (options === undefined || options === null) options = {};
  if (typeof options !== "object") {
    raise(ErrorCodes.BadRequest, format('The "options" parameter must be of type "object". Actual type is: "%s".', typeof options));
  }
  if (callback !== undefined && typeof callback !== "function") {
    raise(ErrorCodes.BadRequest,
      format('The "callback" parameter must be of type "function". Actual type is: "%s".', typeof callback));
  }
  return { options, callback };
}

function etagOf(options) {
  if (options.etag) return String(options.etag);
  const condition = options.accessCondition;
  return condition && condition.type === "IfMatch" && condition.condition ? String(condition.condition) : "";
}

// What is indexed is the policy's business, and queries find every document anyway; but what the service refuses is refused.
function checkIndexAction(options) {
  const action = options.indexAction;
  if (!action || ["default", "include", "exclude"].includes(String(action).toLowerCase())) return;
  raise(ErrorCodes.BadRequest, format('Invalid "indexAction": "%s". It may be "default", "include" or "exclude".', action));
}

function pageSizeOf(options) {
  const size = Number(options.pageSize);
  return size > 0 ? String(Math.floor(size)) : "100";
}

function outside(link) {
  raise(ErrorCodes.BadRequest,
    format('Function is not allowed to operate on resources outside current collection. Make sure that the link provided, "%s", ' +
      'belongs to current collection.', link));
}

function withoutSlash(link) {
  return link.endsWith("/") ? link.slice(0, -1) : link;
}

function checkCollectionLink(link) {
  const segments = typeof link === "string" ? withoutSlash(link).split("/") : [];
  if (segments.length !== 4 || segments[0].toLowerCase() !== "dbs" || segments[2].toLowerCase() !== "colls") {
    raise(ErrorCodes.BadRequest, format('Invalid collection link: "%s".', link));
  }
  const plain = withoutSlash(link);
  if (plain !== withoutSlash(links.self) && plain !== withoutSlash(links.alt)) outside(link);
}

// ["name" or "number", which document].
function documentOf(link) {
  const segments = typeof link === "string" ? withoutSlash(link).split("/") : [];
  if (segments.length !== 6 || segments[0].toLowerCase() !== "dbs" || segments[2].toLowerCase() !== "colls" ||
      segments[4].toLowerCase() !== "docs") {
    raise(ErrorCodes.BadRequest, format('Invalid document link: "%s".', link));
  }
  if (link.startsWith(withoutSlash(links.self) + "/")) return ["number", segments[5]];
  if (link.startsWith(withoutSlash(links.alt) + "/")) return ["name", segments[5]];
  return outside(link);
}

function newId() {
  let id = "";
  for (let i = 0; i < 32; ++i) {
    if (i === 8 || i === 12 || i === 16 || i === 20) id += "-";
    const digit = i === 12 ? 4 : i === 16 ? 8 + Math.floor(Math.random() * 4) : Math.floor(Math.random() * 16);
    id += digit.toString(16);
  }
  return id;
}

// The text of a new document, with an id of its own unless that is not wanted.
function documentText(body, options) {
  if (body === null || (typeof body !== "object" && typeof body !== "string")) {
    raise(ErrorCodes.BadRequest, "The document body must be an object or a string representing a JSON-serialized object.");
  }
  if (options.disableAutomaticIdGeneration === true) return typeof body === "string" ? body : toJson(body);
  const document = typeof body === "string" ? parseJson(body) : body;
  if (document.id) return typeof body === "string" ? body : toJson(body);
  return toJson({ ...document, id: newId() });
}

function put(operation, name, given, collectionLink, body, options, callback) {
  requireArguments(name, given, 2);
  checkCollectionLink(collectionLink);
  const checked = optionsAndCallback(options, callback);
  checkIndexAction(checked.options);
  return enqueue(operation, [documentText(body, checked.options), etagOf(checked.options)],
    completion(checked.callback, parseJson));
}

// The text of a query, or of text and parameters, as the server wants it.
function querySpecification(query) {
  if (typeof query !== "string" && (typeof query !== "object" || query === null)) {
    raise(ErrorCodes.BadRequest,
      format('The "%s" parameter must be of type %s. Actual type is: "%s".', "filterQuery", '"string" or "object"', typeof query));
  }
  return toJson(typeof query === "string" ? { query, parameters: [] } : query);
}

const links = { self: "", alt: "" };

const collection = {
  getSelfLink() { return links.self; },
  getAltLink() { return links.alt; },

  createDocument(collectionLink, body, options, callback) {
    return put("create", "createDocument", arguments, collectionLink, body, options, callback);
  },
  upsertDocument(collectionLink, body, options, callback) {
    return put("upsert", "upsertDocument", arguments, collectionLink, body, options, callback);
  },
  replaceDocument(documentLink, document, options, callback) {
    requireArguments("replaceDocument", arguments, 2);
    const [kind, name] = documentOf(documentLink);
    const checked = optionsAndCallback(options, callback);
    checkIndexAction(checked.options);
    const text = documentText(document, { disableAutomaticIdGeneration: true });
    return enqueue("replace", [text, etagOf(checked.options), kind, name], completion(checked.callback, parseJson));
  },
  deleteDocument(documentLink, options, callback) {
    requireArguments("deleteDocument", arguments, 1);
    const [kind, name] = documentOf(documentLink);
    const checked = optionsAndCallback(options, callback);
    return enqueue("delete", ["", etagOf(checked.options), kind, name], completion(checked.callback));
  },
  readDocument(documentLink, options, callback) {
    requireArguments("readDocument", arguments, 1);
    const [kind, name] = documentOf(documentLink);
    const checked = optionsAndCallback(options, callback);
    const etag = checked.options.ifNoneMatch;
    return enqueue("read", ["", "", kind, name], completion(checked.callback && ((error, document, feed) => {
      if (error) return checked.callback(error);
      if (etag && document._etag === etag) return checked.callback(undefined, undefined, { ...feed, notModified: true });
      return checked.callback(undefined, document, feed);
    }), parseJson));
  },
  readDocuments(collectionLink, options, callback) {
    requireArguments("readDocuments", arguments, 1);
    checkCollectionLink(collectionLink);
    const checked = optionsAndCallback(options, callback);
    return enqueue("feed", [String(checked.options.continuation || ""), pageSizeOf(checked.options)],
      completion(checked.callback, parseJson));
  },
  queryDocuments(collectionLink, query, options, callback) {
    requireArguments("queryDocuments", arguments, 2);
    checkCollectionLink(collectionLink);
    const specification = querySpecification(query);
    const checked = optionsAndCallback(options, callback);
    return enqueue("query", [specification, String(checked.options.continuation || ""), pageSizeOf(checked.options)],
      completion(checked.callback, parseJson));
  },
};

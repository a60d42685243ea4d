// The collection's operations on attachments of documents of the script's logical partition.

// ["name" or "number", which document, which attachment].
function attachmentOf(link) {
  const segments = typeof link === "string" ? withoutSlash(link).split("/") : [];
  if (segments.length !== 8 || segments[6].toLowerCase() !== "attachments") {
    raise(ErrorCodes.BadRequest, format('Invalid attachment link: "%s".', link));
  }
  return [...documentOf(segments.slice(0, 6).join("/")), segments[7]];
}

function attachmentText(body) {
  if (body === null || (typeof body !== "object" && typeof body !== "string")) {
    raise(ErrorCodes.BadRequest, "The attachment body must be an object or a string representing a JSON-serialized object.");
  }
  return typeof body === "string" ? body : toJson(body);
}

function putAttachment(name, given, documentLink, body, options, callback) {
  requireArguments(name, given, 2);
  const document = documentOf(documentLink);
  const checked = optionsAndCallback(options, callback);
  return enqueue(name, [attachmentText(body), etagOf(checked.options), ...document], completion(checked.callback, parseJson));
}

function listAttachments(documentLink, specification, options, callback) {
  const document = documentOf(documentLink);
  const checked = optionsAndCallback(options, callback);
  return enqueue("attachments",
    [String(checked.options.continuation || ""), pageSizeOf(checked.options), ...document, specification],
    completion(checked.callback, parseJson));
}

Object.assign(collection, {
  createAttachment(documentLink, body, options, callback) {
    return putAttachment("createAttachment", arguments, documentLink, body, options, callback);
  },
  upsertAttachment(documentLink, body, options, callback) {
    return putAttachment("upsertAttachment", arguments, documentLink, body, options, callback);
  },
  replaceAttachment(attachmentLink, attachment, options, callback) {
    requireArguments("replaceAttachment", arguments, 2);
    const named = attachmentOf(attachmentLink);
    const checked = optionsAndCallback(options, callback);
    return enqueue("replaceAttachment", [attachmentText(attachment), etagOf(checked.options), ...named],
      completion(checked.callback, parseJson));
  },
  deleteAttachment(attachmentLink, options, callback) {
    requireArguments("deleteAttachment", arguments, 1);
    const named = attachmentOf(attachmentLink);
    const checked = optionsAndCallback(options, callback);
    return enqueue("deleteAttachment", ["", etagOf(checked.options), ...named], completion(checked.callback));
  },
  readAttachment(attachmentLink, options, callback) {
    requireArguments("readAttachment", arguments, 1);
    const named = attachmentOf(attachmentLink);
    const checked = optionsAndCallback(options, callback);
    return enqueue("readAttachment", ["", "", ...named], completion(checked.callback, parseJson));
  },
  readAttachments(documentLink, options, callback) {
    requireArguments("readAttachments", arguments, 1);
    return listAttachments(documentLink, "", options, callback);
  },
  queryAttachments(documentLink, query, options, callback) {
    requireArguments("queryAttachments", arguments, 2);
    return listAttachments(documentLink, querySpecification(query), options, callback);
  },
});

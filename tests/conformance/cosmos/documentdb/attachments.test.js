"use strict";

const assert = require("node:assert/strict");
const { Readable } = require("node:stream");
const { describe, test } = require("node:test");
const { assertFails, useDatabase } = require("./support.js");

const places = [
  { where: "a partitioned collection", partitioned: true, by: "link" },
  { where: "a partitioned collection", partitioned: true, by: "self" },
  { where: "a single-partition collection", partitioned: false, by: "link" },
  { where: "a single-partition collection", partitioned: false, by: "self" },
];

for (const { where, partitioned, by } of places) {
  describe(`attachments in ${where}, addressed by ${by === "link" ? "name" : "resource id"}`, () => {
    const scope = useDatabase();
    const options = (more = {}) => (partitioned ? { partitionKey: ["x"], ...more } : more);
    const call = async (operation, ...parameters) => (await scope.client.call(operation, ...parameters)).resource;
    const linkOf = (owner, kind, resource) => (by === "self" ? resource._self : `${owner}/${kind}/${resource.id}`);
    const newDocument = async (id) => {
      const document = await call("createDocument", scope.collection[by], { id, pk: "x" });
      return { ...document, link: linkOf(scope.collection.link, "docs", document) };
    };
    scope.onceOpen = async () => {
      scope.collection = partitioned ? await scope.newPartitionedCollection() : await scope.newCollection();
    };

    test("an attachment is created, read, replaced, upserted, queried and deleted", async () => {
      const document = await newDocument("whole life");
      const given = { id: "a", contentType: "text/plain", media: "http://elsewhere/", author: "ada" };
      const created = await call("createAttachment", document.link, given, options());
      assert.equal(created.author, "ada");
      assert.equal(Buffer.from(created._rid.replace(/-/g, "/"), "base64").length, 20);
      assert.ok(created._self.startsWith(document._self));
      await assertFails(scope.client.call("createAttachment", document.link, given, options()), 409);
      const link = linkOf(document.link, "attachments", created);
      assert.deepEqual(await call("readAttachment", link, options()), created);
      const replaced = await call("replaceAttachment", link, { ...created, author: "grace" }, options());
      assert.equal(replaced._rid, created._rid);
      assert.notEqual(replaced._etag, created._etag);
      const stale = options({ accessCondition: { type: "IfMatch", condition: created._etag } });
      await assertFails(scope.client.call("replaceAttachment", link, replaced, stale), 412);
      await call("upsertAttachment", document.link, { ...given, id: "b" }, options());
      await call("upsertAttachment", document.link, { ...given, id: "b", author: "alan" }, options());
      const found = await scope.client.all("queryAttachments", document.link, "SELECT * FROM root r WHERE r.author = 'alan'", options());
      assert.deepEqual(found.map((each) => each.id), ["b"]);
      await call("deleteAttachment", link, options());
      await assertFails(scope.client.call("readAttachment", link, options()), 404);
      const rest = await scope.client.all("readAttachments", document.link, options());
      assert.deepEqual(rest.map((each) => each.id), ["b"]);
    });

    test("they are read page by page", async () => {
      const document = await newDocument("pages");
      const ids = Array.from({ length: 5 }, (_, n) => `a${n}`);
      for (const id of ids) await call("createAttachment", document.link, { id, contentType: "text/plain", media: "m" }, options());
      const pages = await scope.client.pages("readAttachments", document.link, options({ maxItemCount: 2 }));
      assert.deepEqual(pages.map((page) => page.resources.length), [2, 2, 1]);
      assert.deepEqual(pages.flatMap((page) => page.resources.map((each) => each.id)), ids);
    });

    test("media are uploaded, read and changed", async () => {
      const document = await newDocument("media");
      const upload = (text, more) =>
        call("createAttachmentAndUploadMedia", document.link, Readable.from([text]), options({ slug: "picture", contentType: "image/png", ...more }));
      await assertFails(upload("x", { contentType: "junt/test" }), 400);
      const attachment = await upload("first");
      assert.equal(attachment.id, "picture");
      assert.equal(attachment.contentType, "image/png");
      await assertFails(upload("again"), 409);
      assert.equal(await call("readMedia", attachment.media), "first");
      await call("updateMedia", attachment.media, Readable.from(["second"]), options({ contentType: "image/gif" }));
      const { resource, headers } = await scope.client.call("readMedia", attachment.media);
      assert.equal(resource, "second");
      assert.equal(headers["content-type"], "image/gif");
      await call("upsertAttachmentAndUploadMedia", document.link, Readable.from(["third"]), options({ slug: "picture", contentType: "image/png" }));
      assert.equal(await call("readMedia", attachment.media), "third");
    });

    test("they are gone with their document", async () => {
      const document = await newDocument("gone");
      const attachment = await call("createAttachmentAndUploadMedia", document.link, Readable.from(["bytes"]), options({ slug: "a", contentType: "text/plain" }));
      await call("deleteDocument", document.link, options());
      await assertFails(scope.client.call("readAttachment", linkOf(document.link, "attachments", attachment), options()), 404);
      await assertFails(scope.client.call("readMedia", attachment.media), 404);
      const again = await newDocument("gone");
      assert.deepEqual(await scope.client.all("readAttachments", again.link, options()), []);
    });

    test("a procedure changes them with the document, or not at all", async () => {
      const document = await newDocument("scripted");
      const procedure = await call("createStoredProcedure", scope.collection[by], {
        id: `attach ${by}`,
        body: function (id, fails) {
          const link = __.getAltLink() + "/docs/" + id;
          __.createAttachment(link, { id: "a", contentType: "text/plain", media: "m" }, (error, created) => {
            if (error) throw error;
            __.readDocument(link, (_, own) => {
              own.attached = created.id;
              __.replaceDocument(own._self, own, () => {
                if (fails) throw new Error("not at all");
              });
            });
          });
        },
      });
      const link = linkOf(scope.collection.link, "sprocs", procedure);
      const attached = async () => (await call("readDocument", document.link, options())).attached;
      await assertFails(scope.client.call("executeStoredProcedure", link, ["scripted", true], options()), 400);
      assert.deepEqual(await scope.client.all("readAttachments", document.link, options()), []);
      assert.equal(await attached(), undefined);
      await scope.client.call("executeStoredProcedure", link, ["scripted", false], options());
      assert.equal((await scope.client.all("readAttachments", document.link, options())).length, 1);
      assert.equal(await attached(), "a");
    });
  });
}

"""Web pages, and where they come from: a small server for them, which also takes their reports."""

import http.client
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

# What a page tries. Each attempt reports what the page got to see of the answer.
ATTEMPTS = """
const results = {};
async function seen(response) {
  return { type: response.type, status: response.status, charge: response.headers.get("x-ms-request-charge"),
           text: (await response.text()).slice(0, 300) };
}
async function attempt(name, action) {
  try { results[name] = await action(); } catch (error) { results[name] = { error: String(error) }; }
}
function element(kind, properties) {
  return new Promise((resolve) => {
    const made = Object.assign(document.createElement(kind), properties);
    made.onload = () => { let inside = null; try { inside = made.contentDocument?.body?.innerText ?? null; } catch {} resolve({ loaded: true, inside }); };
    made.onerror = () => resolve({ loaded: false });
    document.body.append(made);
  });
}
function submitForm(action, text) {
  return new Promise((resolve) => {
    const frame = Object.assign(document.createElement("iframe"), { name: "answer" });
    const form = Object.assign(document.createElement("form"), { action, method: "POST", enctype: "text/plain", target: "answer" });
    form.append(Object.assign(document.createElement("input"), { name: text, value: "" }));
    document.body.append(frame, form);
    frame.onload = () => { let inside = null; try { inside = frame.contentDocument?.body?.innerText ?? null; } catch {} resolve({ loaded: true, inside }); };
    form.submit();
  });
}
function fromSandbox(url, init) {
  return new Promise((resolve) => {
    addEventListener("message", (event) => resolve(event.data), { once: true });
    const code = `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then((r) => ({ status: r.status }), (e) => ({ error: String(e) })).then((r) => parent.postMessage(r, "*"))`;
    const frame = Object.assign(document.createElement("iframe"), { srcdoc: `<script>${code}<\\/script>` });
    frame.setAttribute("sandbox", "allow-scripts");
    document.body.append(frame);
  });
}
"""


def page(body):
    return f"<!doctype html><meta charset=utf-8><title>page</title><body><script>{ATTEMPTS}\n(async () => {{\n{body}\nawait fetch('/report', {{ method: 'POST', body: JSON.stringify(results) }});\n}})();</script>"


class PageServer:
    """Serves one page, and keeps its report. As a proxy it hands everything else to `behind`, a port, under the name that was asked for."""

    def __init__(self, behind=None):
        outer = self
        self.page = ""
        self.report = None
        self.reported = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self._serve()

            def do_POST(self):
                self._serve()

            def do_OPTIONS(self):
                self._serve()

            def _serve(self):
                path = urlsplit(self.path).path
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                if path == "/page":
                    return self._answer(200, "text/html", outer.page.encode())
                if path == "/report":
                    outer.report = json.loads(body)
                    self._answer(204, "text/plain", b"")
                    return outer.reported.set()
                if behind is None:
                    return self._answer(404, "text/plain", b"")
                return self._hand_on(path, body)

            def _hand_on(self, path, body):
                connection = http.client.HTTPConnection("127.0.0.1", behind)
                connection.putrequest(self.command, path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() not in ("proxy-connection", "connection", "content-length"):
                        connection.putheader(name, value)
                connection.putheader("Content-Length", str(len(body)))
                connection.endheaders(body)
                answer = connection.getresponse()
                self._answer(answer.status, answer.getheader("content-type", "text/plain"), answer.read())

            def _answer(self, status, kind, body):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

"""What an SDK sends with a request: the signature of the well-known key."""

import base64
import hashlib
import hmac
from email.utils import formatdate
from urllib.parse import quote

WELL_KNOWN_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="


def signed_headers(method, path):
    segments = path.strip("/").split("/")
    is_feed = len(segments) % 2 == 1
    kind = segments[-1] if is_feed else segments[-2]
    link = "/".join(segments[:-1] if is_feed else segments)
    date = formatdate(usegmt=True)
    payload = f"{method.lower()}\n{kind}\n{link}\n{date.lower()}\n\n"
    signature = base64.b64encode(hmac.new(base64.b64decode(WELL_KNOWN_KEY), payload.encode(), hashlib.sha256).digest()).decode()
    return {"authorization": quote(f"type=master&ver=1.0&sig={signature}", safe=""), "x-ms-date": date, "x-ms-version": "2020-07-15"}

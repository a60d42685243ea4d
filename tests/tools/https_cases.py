"""Commands that ask a running server do so over http and over https."""


def top_over_http_and_https(site):
    site.new_container()
    for endpoint in (site.endpoint, site.https_endpoint):
        done = site.run("top", "--once", "--endpoint", endpoint)
        if done.code != 0 or " partitions, " not in done.out:
            yield f"top {endpoint} {done}"


def a_plain_port_is_no_https(site):
    done = site.run("top", "--once", "--endpoint", "https://127.0.0.1:1/")
    if done.code == 0 or "does not answer: Connection refused" not in done.err:
        yield f"nobody listens there, but top {done}"


CASES = [top_over_http_and_https, a_plain_port_is_no_https]

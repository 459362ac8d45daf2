"""The requests and answers of runner.py. They are written by hand, so that nothing is normalised."""
import email.utils, re, time, types, zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
import brotli
from jsonschema import Draft202012Validator, ValidationError, validators
from runner_tokens import compact, parse

TIMEOUT, MOST_BYTES = 10, 2**20

def member(value, *path, default=None):
    for key in path:
        value = value.get(key, default) if isinstance(value, dict) else default
    return value

def connection_to(url):
    classes = {"http": HTTPConnection, "https": HTTPSConnection}
    return classes[url.scheme](url.hostname, url.port, timeout=TIMEOUT)

def is_reachable(url):
    with suppress(OSError), closing(connection_to(url)) as http:
        http.connect()
        return True

def send(url, requests, connection):
    """The answers to requests on one connection, None for one that does not come; [] when a shared one is closed."""
    if connection == "side by side":
        with ThreadPoolExecutor() as pool:
            return [one for (one,) in pool.map(lambda request: send(url, [request], None), requests)]
    answers, data = [None] * len(requests), [to_bytes(url, one, one is requests[-1]) for one in requests]
    data = [b"".join(data)] + [b""] * len(data) if connection == "pipelined" else data
    with suppress(OSError, HTTPException, ValueError, zlib.error, brotli.error), closing(connection_to(url)) as http:
        http.connect()
        reader, deadline = http.sock.makefile("rb"), time.monotonic() + TIMEOUT
        reader.close = lambda: None  # http.client would close it after the first answer
        for index, request in enumerate(requests):
            with suppress(ConnectionError):  # the server may answer before it has read all
                http.sock.sendall(data[index])
            try:
                answers[index] = read_answer(reader, request["method"], deadline)
            except (ConnectionError, IncompleteRead):
                return [] if connection else answers
    return answers

def to_bytes(url, request, is_last):
    body, added = request["body"], {"Host": url.netloc, "Accept": "application/json", "Accept-Encoding": "identity"}
    added.update({"User-Agent": "runner.py", **({"Connection": "close"} if is_last else {})})
    if "chunked" in request:
        added["Transfer-Encoding"], half = "chunked", len(body) // 2
        body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:half], body[half:], b""))
    elif body or request["method"] in ("POST", "PUT", "PATCH"):
        added["Content-Length"] = str(len(body))
    given = {name.lower() for name, _ in request["headers"]}
    lines = [pair for pair in added.items() if pair[0].lower() not in given] + request["headers"]
    head = [f"{request['method']} {request['path']} HTTP/1.1", *map(": ".join, lines)]
    return ("\r\n".join(head) + "\r\n\r\n").encode("latin-1") + body

def read_answer(reader, method, deadline):
    status = 100
    while status < 200 and status != 101:
        response = HTTPResponse(types.SimpleNamespace(makefile=lambda _: reader), method=method)
        response.begin()
        status, headers = response.status, {}
    for name, value in response.getheaders():
        headers.setdefault(name.lower(), []).append(value)
    data = response.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES or time.monotonic() > deadline:
        raise OSError("the answer is too long or too late")
    if response.length:
        raise ConnectionError("the answer is cut off")
    coding = "".join(headers.get("content-encoding", [])).lower()
    if data and re.search("gzip|deflate", coding):
        data = zlib.decompressobj(47).decompress(data, MOST_BYTES)
    elif data and coding == "br":
        data = brotli.decompress(data)
    answer = {"status": status, "headers": {name: ", ".join(values) for name, values in headers.items()}}
    answer["version"] = "1.0" if response.version == 10 else "1.1"
    with suppress(ValueError, RecursionError):
        answer["body"] = parse(data.decode("utf-8"))
    return {**answer, "text": data.decode("utf-8", "replace")}

def cookies_of(answer):
    """The cookies that an answer sets, as a client sends them back."""
    cookies = member(answer, "headers", "set-cookie", default="none=none")
    return "; ".join(one.split(";")[0] for one in re.split(", (?=[^ ;,]+=)", cookies))

def pause_for(request, answer):
    """The seconds to wait that the server asks for; 0 when it does not."""
    status, after = member(answer, "status"), member(answer, "headers", "retry-after")
    is_rejection = member(answer, "body", "success") is False
    if is_rejection and "login" not in request or status != 429 and not (after and (status == 503 or is_rejection)):
        return 0
    with suppress(ValueError, TypeError):
        now = time.time()
        return max(0.001, int(after) if after.isdigit() else email.utils.parsedate_to_datetime(after).timestamp() - now)
    return float("inf")

def pattern(_, pattern, text, __):
    """As in ECMAScript: Python's $ also matches before a last line break, and its \\w letters past ASCII."""
    pattern = re.sub(r"(?<!\\)\$", r"\\Z", pattern).replace(r"\w", "A-Za-z0-9_")
    if isinstance(text, str) and not re.search(pattern, text):
        yield ValidationError("no match")

Validator = validators.extend(Draft202012Validator, {"pattern": pattern})

def matches(schema, answer):
    with suppress(RecursionError):
        return Validator(schema).is_valid(answer)

def judge(case, answers, fill, definitions):
    """The status of a case, and what was observed. None stands for an answer that did not come."""
    given, expectation = ({**fill(case.get(name, {})), "$defs": definitions} for name in ("given", "expectation"))
    answers = {"first": answers[:1], "last": answers[-1:]}.get(case.get("judged"), answers)
    judged = [one for one in answers if one is None or matches(given, one)]
    right = all(one is not None and matches(expectation, one) for one in judged)
    if not judged:
        return "skipped", "there was no answer to judge"
    if case["level"] == "OBSERVED":
        values = [compact(member(one, *path[1:].split("/"))) for one in judged for path in case.get("observe", [])]
        return "ok", ", ".join(values) or ("yes" if right else "no")
    return "ok" if right else "failed" if case["level"] == "MUST" else "warning", ""

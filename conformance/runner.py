#!/usr/bin/env python3
"""Checks a server by server-cases.json, as README.md says. Before: pip install brotli jsonschema 'pyjwt[crypto]'"""
import argparse, json, re, secrets, sys, time
from base64 import b64decode
from pathlib import Path
from urllib.parse import urlsplit
from runner_http import cookies_of, is_reachable, judge, member, pause_for, send
from runner_tokens import FORMS, change_jwt, change_token, compact, jwt_of, key_of, parse_jwt

DATA = json.loads(Path(__file__).with_name("server-cases.json").read_text("utf-8"))
MOST_PAUSES, MOST_SILENCES, LEFT_OUT = 30, 3, object()
sys.setrecursionlimit(20_000)  # for JSON that is nested deep

class Skip(Exception): """Why a case cannot be judged."""
class CannotRun(Exception): """Why there is no verdict."""

class Run:
    def __init__(self, url, options):
        self.url, self.options, self.keys = urlsplit(url), options, (options.secret, options.key)
        self.since, self.exchanges, self.limited, self.pauses, self.silences = 0, {}, set(), MOST_PAUSES, 0
        self.values = {**{name.replace("_", " "): value for name, value in vars(options).items() if value},
                       "origin": f"{self.url.scheme}://{self.url.netloc}", "base": self.url.path.rstrip("/"),
                       "random": f"x{secrets.token_hex(9)}", "long": "x" * 7000, "deep": "[" * 2000 + "]" * 2000}
        self.values.setdefault("public key", options.key)

    def has(self, need):
        if need in ("jwt", "asymmetric", "key"):
            self.named("login")
        token = self.values.get("token")
        alg = parse_jwt(token)[0].get("alg", "")
        of_token = {"jwt": alg, "asymmetric": alg and alg[:2] != "HS", "key": key_of(token, *self.keys)}
        return {**self.values, **of_token}.get(need.replace("user", "username"))

    def judge(self, case, path):
        if self.silences >= MOST_SILENCES:
            raise Skip("the server no longer responds")
        self.values["path"] = self.values["base"] + (path or "")
        lifetimes = self.options.lifetime, jwt_of(self.values.get("token"), *self.keys).get("lifetime")
        if any(one and time.time() - self.since > one / 2 for one in lifetimes):
            self.make(DATA["exchanges"]["login"])
        if "connection" in case:
            requests = list(map(self.prepare, case["requests"]))
            answers = self.exchange(requests, case["connection"]) if all(requests) else []
        else:
            answers = [self.named(one) if isinstance(one, str) else self.make(one) for one in case["requests"]]
        return judge(case, [one for one in answers if one is not LEFT_OUT], self.fill, DATA["$defs"])

    def named(self, name):
        """The answer to an exchange, which is made once."""
        if name not in self.exchanges:
            self.exchanges[name] = Skip(f"{name} could not be made")
            self.exchanges[name] = self.make(DATA["exchanges"][name])
            is_refused = member(self.exchanges[name], "body", "success") is False and not self.values.get("token")
            if name == "login" and is_refused:
                others = map(self.named, ("credentials without fields", "credentials as a form"))
                if not any(member(one, "body", "token") for one in others):
                    raise CannotRun("the server refuses the username and the password")
        if isinstance(self.exchanges[name], Skip):
            raise self.exchanges[name]
        return self.exchanges[name]

    def make(self, template):
        request = self.prepare(template)
        if "pause" in template:
            time.sleep(float(self.fill(template["pause"])))
        answer = self.exchange([request])[0] if request else LEFT_OUT
        return LEFT_OUT if answer is None and "mayClose" in template else answer

    def prepare(self, template):
        """The request as it is sent; None when it cannot be made."""
        filled = self.fill({name: value for name, value in template.items() if name != "bearer"})
        headers = [(name, value) for name, values in filled.get("headers", {}).items()
                   for value in (values if isinstance(values, list) else [values])]
        token = self.bearer(template.get("bearer", "none"))
        if "bearer" in template:
            headers.append(("Authorization", f"Bearer {token}"))
        if "json" in filled and "content-type" not in [name.lower() for name, _ in headers]:
            headers.append(("Content-Type", "application/json"))
        if not token or any(re.search("[^\t -~\x80-\xff]", value) for _, value in headers):
            return None
        text = compact(filled["json"]) if "json" in filled else filled.get("text", "")
        return {**filled, "headers": headers, "body": b64decode(filled.get("base64", "")) or text.encode()}

    def bearer(self, template):
        """The token to send; None when the change leaves it as it is."""
        if isinstance(template, str):
            if isinstance(token := self.fill(template), str):
                return token.rstrip("\r\n")
            raise Skip("there is no token")
        token = self.value("token")
        changed = change_token(token, template["token"]) if "token" in template else change_jwt(
            token, self.fill(template["jwt"]), key_of(token, *self.keys), self.values["public key"])
        return None if changed == token else changed

    def exchange(self, requests, connection=None):
        """The answers; after a pause, when the server asks for one."""
        routes = {(one["method"], one["path"]) for one in requests}
        for _ in range(0 if routes & self.limited else 2):
            answers = send(self.url, requests, connection)
            for request, answer in zip(requests, answers):
                self.silences = 0 if answer else self.silences + ("mayClose" not in request)
                token = member(answer, "body", "token")
                if jwt := jwt_of(token, *self.keys):
                    answer["jwt"] = jwt
                if request.get("login") == "first" and isinstance(token, str) and token:
                    self.values["token"], self.since = token, time.time()
            pause = max(map(pause_for, requests, answers), default=0)
            if pause == 0:
                return answers
            if pause > self.pauses or connection:
                break
            self.pauses -= pause
            time.sleep(pause)
        self.limited |= set() if connection else routes
        is_first_login = "login" in requests[0] and "token" not in self.values
        raise (CannotRun if is_first_login else Skip)("the server limits requests")

    def fill(self, template, is_pattern=False):
        if isinstance(template, dict):
            return {self.fill(key): self.fill(value, key == "pattern") for key, value in template.items()}
        if not isinstance(template, str):
            return [self.fill(one) for one in template] if isinstance(template, list) else template
        if is_pattern:
            return re.sub(r"\\\{\\\{([^{}\\]+)\\\}\\\}", lambda found: re.escape(str(self.value(found[1]))), template)
        whole = re.fullmatch(r"\{\{([^{}]+)\}\}", template)
        if whole:
            return self.value(whole[1])
        return re.sub(r"\{\{([^{}]+)\}\}", lambda found: str(self.value(found[1])), template)

    def value(self, name):
        """The value of a placeholder."""
        form, _, rest = name.partition(" ")
        if found := re.fullmatch(r"(now|lifetime)([+-]\d+)", name):
            return int(time.time() if found[1] == "now" else self.options.lifetime) + int(found[2])
        if form == "basic":
            return FORMS["base64"](f"{self.options.username}:{self.value(rest or 'password')}")
        if form in FORMS:
            return FORMS[form](self.value(rest))
        if name == "cookies":
            return cookies_of(self.named("login"))
        if name == "token" and name not in self.values:
            self.named("login")
        values, path = self.values, [name]
        if name.startswith("answers."):
            values, path = self.named(name.split(".")[1]), name.split(".")[2:]
        value = member(values, *path, default=LEFT_OUT)
        if value is LEFT_OUT:
            raise Skip(f"there is no {name}")
        return value

def check(url, options, report=lambda *_: None):
    """The status of each case and what was observed, by its id, and by its route where it has one."""
    run, results = Run(url, options), {}
    for case in [one for one in DATA["cases"] if one.get("mode", "auth") == options.mode]:
        needs = case.get("needs", [])
        for path in options.protected if "protected" in needs else [None]:
            try:
                if not all(map(run.has, needs)):
                    continue
                is_needless = results.get(case.get("unless")) in (("ok", ""), ("ok", "yes"))
                result = ("skipped", "it is not needed") if is_needless else run.judge(case, path)
            except Skip as reason:
                result = "skipped", str(reason)
            results[case["id"] + (path or "")] = result
            report(case["id"], *result)
    return results

def options_of(args):
    parser, read = argparse.ArgumentParser(description=__doc__), lambda name: Path(name).read_text("utf-8")
    for name in "url", "--username", "--password", "--secret", "--second-username", "--second-password":
        parser.add_argument(name)
    for name in "--key", "--public-key", "--expired-token":
        parser.add_argument(name, metavar="FILE", type=read)
    parser.add_argument("--app-name", default="Demo Company")
    parser.add_argument("--lifetime", type=int)
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--no-auth", dest="mode", action="store_const", const="no-auth", default="auth")
    parser.add_argument("--protected", metavar="PATH", action="append", default=[])
    parser.add_argument("--json", metavar="FILE", type=Path)
    options = parser.parse_args(args)
    if options.mode == "no-auth" or options.username and options.password:
        return options
    parser.error("--username and --password are needed, or --no-auth")

def main():
    options = options_of(sys.argv[1:])
    if not is_reachable(urlsplit(options.url)):
        raise CannotRun(f"{options.url} cannot be reached")
    results = check(options.url, options, lambda id, status, observed: print(status, id, observed))
    statuses = {id: status for id, (status, _) in results.items()}
    if options.json:
        options.json.write_text(json.dumps(statuses, indent=2))
    is_complete = "ok" in statuses.values() and statuses.get("wrong-password") != "skipped"
    return 1 if "failed" in statuses.values() else 0 if is_complete else 2

if __name__ == "__main__":
    try:
        sys.exit(main())
    except CannotRun as reason:
        sys.exit(print(reason, file=sys.stderr) or 2)

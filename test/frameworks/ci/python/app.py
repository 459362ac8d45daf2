"""A small screen service, to try the commands of conformance/docs/ci.md on."""

import json
import os
import secrets
from wsgiref.simple_server import WSGIRequestHandler, make_server

tokens = set()

FORM = {
    "layout": "Card",
    "title": "Log in",
    "auth_action": "/auth/login",
    "sections": [
        {
            "id": "login",
            "label": "Log in",
            "fields": [
                {"id": "username", "label": "User", "type": "Text", "value": ""},
                {"id": "password", "label": "Password", "type": "Password", "value": ""},
            ],
        }
    ],
}

MENU = {
    "layout": "Menu",
    "title": "Main Menu",
    "menu": {"panel_title": "Main", "tabs": []},
    "user_display_name": "Demo User",
}


def app(environ, start_response):
    # What is not read when the connection closes would reset it.
    body = read(environ)

    def send(value):
        headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        start_response("200 OK", headers)
        return [json.dumps(value).encode()]

    route = environ["REQUEST_METHOD"], environ["raw_path"]
    if route == ("GET", "/auth/login"):
        return send(FORM)
    if route == ("POST", "/auth/login"):
        return send(log_in(body))
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer" or token not in tokens:
        start_response("401 Unauthorized", [("WWW-Authenticate", 'Bearer realm="screens"')])
        return []
    if route == ("GET", "/menu/main"):
        return send(MENU)
    start_response("404 Not Found", [])
    return []


def log_in(body):
    try:
        fields = json.loads(body)["fields"]
        accepted = (fields["username"], fields["password"]) == ("demo", "demo-password")
    except (ValueError, LookupError, TypeError, RecursionError):
        accepted = False
    if not accepted:
        return {"success": False, "token": None, "error": "Wrong user or password.", "screen": None}
    token = secrets.token_hex(32)
    tokens.add(token)
    return {"success": True, "token": token, "error": None, "screen": MENU}


def read(environ):
    stream = environ["wsgi.input"]
    if environ.get("HTTP_TRANSFER_ENCODING") != "chunked":
        return stream.read(int(environ["CONTENT_LENGTH"] or 0))
    body = b""
    while size := int(stream.readline(), 16):
        body += stream.read(size)
        stream.readline()
    return body


class Handler(WSGIRequestHandler):
    def get_environ(self):
        return super().get_environ() | {"raw_path": self.path.partition("?")[0]}

    def log_message(self, *_):
        pass


make_server("127.0.0.1", int(os.environ["PORT"]), app, handler_class=Handler).serve_forever()

import os
import time

import jwt
from flask import Flask, g, request
from waitress import create_server

SECRET = os.environ["SECRET"]
FORM = {
    "layout": "Card",
    "title": "Flask",
    "auth_action": "/auth/login",
    "sections": [{"id": "login", "label": "Log in", "fields": [
        {"id": "username", "label": "User", "type": "Text", "value": ""},
        {"id": "password", "label": "Password", "type": "Password", "value": ""},
    ]}],
}

app = Flask(__name__, static_folder=None)


def menu(name):
    return {"layout": "Menu", "title": "Main menu", "menu": {}, "user_display_name": name}


@app.before_request
def guard():
    if request.endpoint in ("form", "login") and request.method != "OPTIONS":
        return None
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    try:
        g.user = jwt.decode(token if scheme.lower() == "bearer" else "", SECRET, algorithms=["HS256"])
    except jwt.InvalidTokenError:
        return "", 401


@app.get("/auth/login")
def form():
    return FORM


@app.post("/auth/login")
def login():
    body = request.get_json(silent=True)
    fields = body.get("fields") if isinstance(body, dict) else None
    fields = fields if isinstance(fields, dict) else {}
    if fields.get("username") != "ada" or fields.get("password") != "correct horse battery":
        return {"success": False, "token": None, "error": "Wrong user or password", "screen": None}
    name, now = "Ada Lovelace", int(time.time())
    token = jwt.encode({"sub": "ada", "display_name": name, "iat": now, "exp": now + 3600}, SECRET)
    return {"success": True, "token": token, "error": None, "screen": menu(name)}


@app.get("/menu/main")
def main_menu():
    return menu(g.user["display_name"])


server = create_server(app, host="127.0.0.1", port=int(os.environ["PORT"]))
print(f"http://127.0.0.1:{server.effective_port}", flush=True)
server.run()

import os
import secrets
import socket

import uvicorn
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel

FORM = {
    "layout": "Card",
    "title": "FastAPI",
    "auth_action": "/auth/login",
    "sections": [{"id": "login", "label": "Log in", "fields": [
        {"id": "username", "label": "User", "type": "Text", "value": ""},
        {"id": "password", "label": "Password", "type": "Password", "value": ""},
    ]}],
}
names = {}

app = FastAPI()


class AuthRequest(BaseModel):
    fields: dict[str, str]


class AuthResponse(BaseModel):
    success: bool
    token: str | None = None
    error: str | None = None
    screen: dict | None = None


def menu(name):
    return {"layout": "Menu", "title": "Main menu", "menu": {}, "user_display_name": name}


@app.middleware("http")
async def guard(request: Request, call_next):
    if request.url.path != "/auth/login" or request.method not in ("GET", "POST"):
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or token not in names:
            return Response(status_code=401)
        request.state.name = names[token]
    return await call_next(request)


@app.get("/auth/login")
def form():
    return FORM


@app.post("/auth/login", response_model=AuthResponse)
def login(credentials: AuthRequest):
    fields = credentials.fields
    if fields.get("username") != "demo" or fields.get("password") != "demo-password":
        return AuthResponse(success=False, error="Wrong user or password")
    token = secrets.token_urlsafe(32)
    names[token] = "Ada Lovelace"
    return AuthResponse(success=True, token=token, screen=menu(names[token]))


@app.get("/menu/main")
def main_menu(request: Request):
    return menu(request.state.name)


listener = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])

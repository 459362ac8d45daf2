//! A small screen service, to try the commands of conformance/docs/ci.md on.

use axum::{
    body::Bytes,
    extract::State,
    http::{header, HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
    Json, Router,
};
use serde_json::{json, Value};
use std::{collections::HashSet, env, fs::File, io::Read, sync::Arc, sync::Mutex};

type Tokens = Arc<Mutex<HashSet<String>>>;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let address = format!("127.0.0.1:{}", env::var("PORT").unwrap());
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let app = Router::new().fallback(serve).with_state(Tokens::default());
    axum::serve(listener, app).await.unwrap();
}

async fn serve(
    State(tokens): State<Tokens>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    match (method.as_str(), uri.path()) {
        ("GET", "/auth/login") => screen(form()),
        ("POST", "/auth/login") => screen(log_in(&body, &tokens)),
        _ if !is_logged_in(&headers, &tokens) => (
            StatusCode::UNAUTHORIZED,
            [(header::WWW_AUTHENTICATE, "Bearer realm=\"screens\"")],
        )
            .into_response(),
        ("GET", "/menu/main") => screen(menu()),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn is_logged_in(headers: &HeaderMap, tokens: &Tokens) -> bool {
    let value = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let (scheme, token) = value
        .and_then(|value| value.split_once(' '))
        .unwrap_or_default();
    scheme.eq_ignore_ascii_case("Bearer") && tokens.lock().unwrap().contains(token)
}

fn log_in(body: &[u8], tokens: &Tokens) -> Value {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let fields = &body["fields"];
    if fields["username"] != "demo" || fields["password"] != "demo-password" {
        return json!({ "success": false, "token": null, "error": "Wrong user or password.", "screen": null });
    }
    let token = random();
    tokens.lock().unwrap().insert(token.clone());
    json!({ "success": true, "token": token, "error": null, "screen": menu() })
}

fn random() -> String {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")
        .unwrap()
        .read_exact(&mut bytes)
        .unwrap();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn form() -> Value {
    json!({
        "layout": "Card",
        "title": "Log in",
        "auth_action": "/auth/login",
        "sections": [{
            "id": "login",
            "label": "Log in",
            "fields": [
                { "id": "username", "label": "User", "type": "Text", "value": "" },
                { "id": "password", "label": "Password", "type": "Password", "value": "" }
            ]
        }]
    })
}

fn menu() -> Value {
    json!({
        "layout": "Menu",
        "title": "Main Menu",
        "menu": { "panel_title": "Main", "tabs": [] },
        "user_display_name": "Demo User"
    })
}

fn screen(value: Value) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], Json(value)).into_response()
}

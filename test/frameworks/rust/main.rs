use axum::extract::{Extension, Request};
use axum::http::{header::AUTHORIZATION, StatusCode};
use axum::middleware::{from_fn, Next};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use jsonwebtoken::{decode, encode, Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde_json::{json, Value};
use std::env::var;
use std::time::{SystemTime, UNIX_EPOCH};

const NAME: &str = "Ada Lovelace";

fn menu(name: &Value) -> Value {
    json!({ "layout": "Menu", "title": "Main menu", "menu": {}, "user_display_name": name })
}

async fn form() -> Json<Value> {
    Json(json!({
        "layout": "Card", "title": "Axum", "auth_action": "/auth/login",
        "sections": [{ "id": "login", "label": "Log in", "fields": [
            { "id": "username", "label": "User", "type": "Text", "value": "" },
            { "id": "password", "label": "Password", "type": "Password", "value": "" }
        ]}]
    }))
}

async fn login(Json(body): Json<Value>) -> Json<Value> {
    let fields = &body["fields"];
    if fields["username"] != "ada" || fields["password"] != "correct horse battery" {
        let error = "Wrong user or password";
        return Json(json!({ "success": false, "token": null, "error": error, "screen": null }));
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let claims = json!({ "sub": "ada", "display_name": NAME, "iat": now, "exp": now + 3600 });
    let key = EncodingKey::from_secret(var("SECRET").unwrap().as_bytes());
    let token = encode(&Header::default(), &claims, &key).unwrap();
    Json(json!({ "success": true, "token": token, "error": null, "screen": menu(&json!(NAME)) }))
}

fn claims_of(request: &Request) -> Option<Value> {
    let header = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    let key = DecodingKey::from_secret(var("SECRET").unwrap().as_bytes());
    let validation = Validation::new(Algorithm::HS256);
    let claims = decode::<Value>(token, &key, &validation).ok()?.claims;
    scheme.eq_ignore_ascii_case("bearer").then_some(claims)
}

async fn guard(mut request: Request, next: Next) -> Result<Response, StatusCode> {
    let is_login_method = ["GET", "POST"].contains(&request.method().as_str());
    if !is_login_method || request.uri().path() != "/auth/login" {
        let claims = claims_of(&request).ok_or(StatusCode::UNAUTHORIZED)?;
        request.extensions_mut().insert(claims);
    }
    Ok(next.run(request).await)
}

async fn main_menu(Extension(claims): Extension<Value>) -> Json<Value> {
    Json(menu(&claims["display_name"]))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let app = Router::new()
        .route("/auth/login", get(form).post(login))
        .route("/menu/main", get(main_menu))
        .layer(from_fn(guard));
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", var("PORT").unwrap()))
        .await
        .unwrap();
    println!("http://{}", listener.local_addr().unwrap());
    axum::serve(listener, app).await.unwrap();
}

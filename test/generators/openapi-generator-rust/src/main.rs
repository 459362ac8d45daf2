use openapi::apis::authentication_api::{get_auth_login, get_menu_main, post_auth_login};
use openapi::apis::configuration::Configuration;
use openapi::models::{AuthRequest, AuthResponse, ScreenContract};
use std::collections::HashMap;
use std::error::Error;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [base, username, password] = std::env::args().skip(1).collect::<Vec<_>>().try_into().unwrap();
    let mut configuration = Configuration { base_path: base, ..Configuration::default() };

    let form = get_auth_login(&configuration).await?;
    let sections = form.sections.unwrap_or_default();
    let ids: Vec<_> = sections.iter().flat_map(|section| &section.fields).map(|field| field.id.as_str()).collect();
    println!("form: {} {} {}", form.layout, form.auth_action.unwrap_or_default(), ids.join(" "));

    let rejected = log_in(&configuration, &username, "wrong").await?;
    if !rejected.success && rejected.token.is_none() && rejected.screen.is_none() {
        println!("rejected: {}", rejected.error.unwrap_or_default());
    }

    let accepted = log_in(&configuration, &username, &password).await?;
    if accepted.success && accepted.error.is_none() {
        show("accepted", *accepted.screen.unwrap());
    }

    configuration.bearer_access_token = accepted.token;
    show("menu", get_menu_main(&configuration).await?);
    Ok(())
}

async fn log_in(configuration: &Configuration, username: &str, password: &str) -> Result<AuthResponse, Box<dyn Error>> {
    let fields = [("username", username), ("password", password)];
    let fields: HashMap<_, _> = fields.map(|(id, value)| (id.to_owned(), value.to_owned())).into();
    Ok(post_auth_login(configuration, AuthRequest::new(fields)).await?)
}

fn show(what: &str, screen: ScreenContract) {
    println!("{what}: {}, {}", screen.title.unwrap_or_default(), screen.user_display_name.unwrap_or_default());
}

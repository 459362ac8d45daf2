import sys

from contract import AuthenticatedClient, Client
from contract.api.authentication import get_auth_login, get_menu_main, post_auth_login
from contract.models import AuthRequest, AuthRequestFields, AuthResponse, ScreenContract

base, username, password = sys.argv[1:]
client = Client(base_url=base)


def log_in(password: str) -> AuthResponse:
    fields = AuthRequestFields.from_dict({"username": username, "password": password})
    response = post_auth_login.sync(client=client, body=AuthRequest(fields=fields))
    assert isinstance(response, AuthResponse)
    return response


form = get_auth_login.sync(client=client)
assert isinstance(form, ScreenContract)
ids = [field.id for section in form.sections for field in section.fields]
print("form:", form.layout, form.auth_action, *ids)

rejected = log_in("wrong")
assert not rejected.success and rejected.token is None and rejected.screen is None
print("rejected:", rejected.error)

accepted = log_in(password)
assert accepted.success and accepted.error is None
print(f"accepted: {accepted.screen.title}, {accepted.screen.user_display_name}")

menu = get_menu_main.sync(client=AuthenticatedClient(base_url=base, token=accepted.token))
print(f"menu: {menu.title}, {menu.user_display_name}")

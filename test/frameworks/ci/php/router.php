<?php
// A small screen service, to try the commands of conformance/docs/ci.md on.

const FORM = [
    'layout' => 'Card',
    'title' => 'Log in',
    'auth_action' => '/auth/login',
    'sections' => [[
        'id' => 'login',
        'label' => 'Log in',
        'fields' => [
            ['id' => 'username', 'label' => 'User', 'type' => 'Text', 'value' => ''],
            ['id' => 'password', 'label' => 'Password', 'type' => 'Password', 'value' => ''],
        ],
    ]],
];

const MENU = [
    'layout' => 'Menu',
    'title' => 'Main Menu',
    'menu' => ['panel_title' => 'Main', 'tabs' => []],
    'user_display_name' => 'Demo User',
];

/** PHP forgets everything after a request: a token is a random text with its signature. */
function sign(string $text): string
{
    $secret = getenv('TOKEN_SECRET') ?: throw new Exception('TOKEN_SECRET is not set');
    return "$text." . hash_hmac('sha256', $text, $secret);
}

function isLoggedIn(): bool
{
    [$scheme, $token] = explode(' ', $_SERVER['HTTP_AUTHORIZATION'] ?? '', 2) + ['', ''];
    return strtolower($scheme) === 'bearer' && hash_equals(sign(explode('.', $token)[0]), $token);
}

function logIn(): array
{
    $fields = json_decode(file_get_contents('php://input'), true)['fields'] ?? null;
    $isRight = is_array($fields) && ($fields['username'] ?? null) === 'demo' && ($fields['password'] ?? null) === 'demo-password';
    return $isRight
        ? ['success' => true, 'token' => sign(bin2hex(random_bytes(16))), 'error' => null, 'screen' => MENU]
        : ['success' => false, 'token' => null, 'error' => 'Wrong user or password.', 'screen' => null];
}

function send(array $value): void
{
    header('Content-Type: application/json');
    header('Cache-Control: no-store');
    echo json_encode($value);
}

[$method, $path] = [$_SERVER['REQUEST_METHOD'], explode('?', $_SERVER['REQUEST_URI'])[0]];
if ("$method $path" === 'GET /auth/login') {
    send(FORM);
} elseif ("$method $path" === 'POST /auth/login') {
    send(logIn());
} elseif (!isLoggedIn()) {
    header('WWW-Authenticate: Bearer realm="screens"', true, 401);
} elseif ("$method $path" === 'GET /menu/main') {
    send(MENU);
} else {
    http_response_code(404);
}

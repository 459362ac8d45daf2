"""The tokens of runner.py: reads JWTs, changes tokens, and signs. README.md says how, under "Changed tokens"."""
import functools, json, re, secrets, time
from base64 import b64decode, b64encode
from contextlib import suppress
from urllib.parse import quote, unquote
from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt import PyJWK, algorithms

ALGORITHMS = algorithms.get_default_algorithms()
compact = functools.partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
parse = functools.partial(json.loads, parse_constant=int)  # which fails for NaN and Infinity, as it must

FORMS = {"json": compact, "form": lambda text: quote(text, safe="-_.!~*'()"), "decoded": unquote,
         "escaped": lambda text: '"%s"' % re.sub("....", r"\\u\g<0>", text.encode("utf-16-be").hex()),
         "base64": lambda text: b64encode(text.encode()).decode()}  # the first word of placeholders

def base64url(data):
    return b64encode(data, b"-_").rstrip(b"=").decode()

def decode(text):
    text = text.rstrip("=").replace("-", "+").replace("_", "/")
    return b64decode(text + "=" * (-len(text) % 4), validate=True)

def parse_jwt(token):
    with suppress(ValueError, AttributeError):
        header, claims, signature = token.split(".")
        header, claims = parse(decode(header)), parse(decode(claims))
        if isinstance(header, dict) and "alg" in header and isinstance(claims, dict):
            return header, claims, signature
    return {}, {}, ""

def changed(text, start=0):
    """The next of its kind in place of the first letter or digit from there on."""
    kinds = "0123456789", "abcdef", "ABCDEF", "ghijklmnopqrstuvwxyz", "GHIJKLMNOPQRSTUVWXYZ"
    following = lambda found: next(kind[(kind.index(found[0]) + 1) % len(kind)] for kind in kinds if found[0] in kind)
    return text[:start] + re.sub("[0-9A-Za-z]", following, text[start:], count=1)

def change_content(token, place):
    """The token with a change of the readable content of a part, at the first place that the pattern finds."""
    for part in token.split("."):
        with suppress(ValueError):
            is_hexadecimal = re.fullmatch("([0-9A-Fa-f]{2})+", part)
            content = (bytes.fromhex(part) if is_hexadecimal else decode(part)).decode("ascii")
            if re.fullmatch("[ -~]{4,}", content) and (found := re.search(place, content)):
                content = changed(content, found.start()).encode()
                coded = b64encode(content, None if re.search("[+/=]", part) else b"-_").decode()
                coded = content.hex() if is_hexadecimal else coded if "=" in part else coded.rstrip("=")
                return token.replace(part, coded, 1)
    return token

def change_token(token, change):
    half, is_hexadecimal = len(token) // 2, re.fullmatch("[0-9A-Fa-f-]*", token)
    is_one_case = is_hexadecimal or token in (token.lower(), token.upper())
    return {
        "first changed": changed(token), "middle changed": changed(token, half), "first half": token[:half],
        "end changed": changed(token, max(0, len(token) - 6)), "second half": token[half:], "end cut": token[:-8],
        "last changed": changed(token, len(token) - 1) if is_hexadecimal else token, "first character": token[:1],
        "appended": re.sub("(=*)$", r"xxxx\1", token, count=1), "prepended": f"x{token}", "part appended": f"{token}.xxxx",
        "symbol inserted": f"{token[:2]}!{token[2:]}", "other case": token if is_one_case else token.swapcase(),
        "two swapped": token[:half] + re.sub(r"(?i)([0-9a-z])(?!\1)([0-9a-z])", r"\2\1", token[half:], count=1),
        "content changed": change_content(token, "[0-9A-Za-z][^0-9A-Za-z]*$"),
        "number changed": change_content(token, r"(?<=\d{3})\d(?!\d)(?!.*\d{4})"),
    }[change]

@functools.lru_cache
def load(text):
    if text.lstrip().startswith("{"):
        return PyJWK(json.loads(text)).key
    if "PRIVATE" in text:
        return pem.load_pem_private_key(text.encode(), None)
    return pem.load_pem_public_key(text.encode())

def public(key):
    return key.public_key() if hasattr(key, "public_key") else key

def public_bytes(text, form):
    """The public key as the secret of HMAC."""
    encoding = pem.Encoding.DER if form == "public key, DER" else pem.Encoding.PEM
    data = public(load(text)).public_bytes(encoding, pem.PublicFormat.SubjectPublicKeyInfo)
    data = text.encode() if encoding == pem.Encoding.PEM and "PUBLIC" in text else data
    return data.rstrip() if "without" in form else data

def new_key(alg):
    curves = {"ES256": ec.SECP256R1, "ES384": ec.SECP384R1, "ES512": ec.SECP521R1}
    if alg.startswith("HS"):
        return secrets.token_bytes(32)
    if alg in curves:
        return ec.generate_private_key(curves[alg]())
    return ed25519.Ed25519PrivateKey.generate() if alg == "EdDSA" else rsa.generate_private_key(65537, 2048)

def key_of(token, secret, private_key):
    """The given key, when it signs as the server does. A secret may also be given in Base64 or hexadecimal."""
    algorithm, (content, _, signature) = ALGORITHMS.get(parse_jwt(token)[0].get("alg")), str(token).rpartition(".")
    for read, text in (str.encode, secret), (decode, secret), (bytes.fromhex, secret), (load, private_key):
        with suppress(Exception):
            if algorithm.verify(content.encode(), public(read(text)), decode(signature)):
                return read(text)

def jwt_of(token, secret, private_key):
    """The member `jwt` of an answer; empty when the token is none."""
    header, claims, _ = parse_jwt(token)
    jwt = {"header": header, "claims": claims} if header else {}
    with suppress(KeyError, TypeError, ValueError):
        jwt["remaining"] = float(claims["exp"]) - time.time()
        jwt["lifetime"] = float(claims["exp"]) - float(claims["iat"])
    if jwt and (secret or private_key):
        jwt["signed"] = key_of(token, secret, private_key) is not None
    return jwt

def patched(part, patch):
    """JSON Merge Patch (RFC 7396) of the first level, which is all that the cases need."""
    return {name: value for name, value in {**part, **patch}.items() if value is not None}

def change_jwt(token, change, key, public_key):
    """The changed JWT; the token itself when that cannot be made."""
    header, claims, signature = parse_jwt(token)
    how, alg, patch = change["signature"], header["alg"], dict(change.get("header", {}))
    if how == "right key, other algorithm":
        others = {"RS256": "RS512", "RS": "RS256", "PS": "RS256", "HS512": "HS256", "HS": "HS512"}
        patch["alg"] = others.get(alg) or others.get(alg[:2])
    if how == "own key":
        patch["alg"] = alg if alg in ALGORITHMS and alg[:2] != "HS" else "RS256"
    algorithm = ALGORITHMS.get(str({**header, **patch}["alg"]))
    kept = {"kept": signature, "other case": signature.swapcase(), "start changed": changed(signature), "empty": ""}
    if how == "zeros":
        kept[how] = base64url(bytes(len(decode(signature))))
    if how not in (*kept, "missing") and algorithm is None:
        return token
    if how in ("own key", "other key"):
        key = new_key(patch.get("alg", alg))
    if how == "own key":
        patch["jwk"] = algorithm.to_jwk(key.public_key(), as_dict=True)
    # A part without a patch stays as it was, byte for byte.
    old, new = token.split(".")[:2], (patched(header, patch), patched(claims, change.get("claims", {})))
    is_kept = patched(header, patch) == header, "claims" not in change
    content = ".".join(o if kept_part else base64url(compact(n).encode()) for o, n, kept_part in zip(old, new, is_kept))
    if how == "missing":
        return content
    if how not in kept:
        key = b"" if how == "empty key" else public_bytes(public_key, how) if how.startswith("public") else key
        kept[how] = base64url(algorithm.sign(content.encode(), key))
    return f"{content}.{kept[how]}"

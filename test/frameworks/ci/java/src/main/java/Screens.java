import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A small screen service, to try the commands of conformance/docs/ci.md on. */
public class Screens {
  static final Gson gson = new GsonBuilder().serializeNulls().create();
  static final Set<String> tokens = ConcurrentHashMap.newKeySet();

  static final Map<String, Object> FORM =
      Map.of(
          "layout", "Card",
          "title", "Log in",
          "auth_action", "/auth/login",
          "sections",
              List.of(
                  Map.of(
                      "id", "login",
                      "label", "Log in",
                      "fields",
                          List.of(
                              Map.of("id", "username", "label", "User", "type", "Text", "value", ""),
                              Map.of("id", "password", "label", "Password", "type", "Password", "value", "")))));

  static final Map<String, Object> MENU =
      Map.of(
          "layout", "Menu",
          "title", "Main Menu",
          "menu", Map.of("panel_title", "Main", "tabs", List.of()),
          "user_display_name", "Demo User");

  record Login(Map<String, Object> fields) {}

  public static void main(String[] args) throws IOException {
    var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT")));
    var server = HttpServer.create(address, 0);
    server.createContext("/", Screens::serve);
    server.start();
  }

  static void serve(HttpExchange exchange) throws IOException {
    var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    var route = exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath();
    if (route.equals("GET /auth/login")) send(exchange, FORM);
    else if (route.equals("POST /auth/login")) send(exchange, logIn(body));
    else if (!isLoggedIn(exchange)) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer realm=\"screens\"");
      end(exchange, 401);
    } else if (route.equals("GET /menu/main")) send(exchange, MENU);
    else end(exchange, 404);
  }

  static boolean isLoggedIn(HttpExchange exchange) {
    var authorization = exchange.getRequestHeaders().getFirst("Authorization");
    var parts = authorization == null ? new String[0] : authorization.split(" ", 2);
    return parts.length == 2 && parts[0].equalsIgnoreCase("Bearer") && tokens.contains(parts[1]);
  }

  static Map<String, Object> logIn(String body) {
    var response = new LinkedHashMap<String, Object>();
    var isRight = isRight(body);
    var token = isRight ? random() : null;
    if (isRight) tokens.add(token);
    response.put("success", isRight);
    response.put("token", token);
    response.put("error", isRight ? null : "Wrong user or password.");
    response.put("screen", isRight ? MENU : null);
    return response;
  }

  static boolean isRight(String body) {
    try {
      var login = gson.fromJson(body, Login.class);
      return login != null
          && login.fields() != null
          && "demo".equals(login.fields().get("username"))
          && "demo-password".equals(login.fields().get("password"));
    } catch (JsonParseException error) {
      return false;
    }
  }

  static String random() {
    var bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  static void send(HttpExchange exchange, Map<String, Object> value) throws IOException {
    var bytes = gson.toJson(value).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.sendResponseHeaders(200, bytes.length);
    try (var output = exchange.getResponseBody()) {
      output.write(bytes);
    }
  }

  static void end(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }
}

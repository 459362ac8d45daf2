package server;

import static org.springframework.http.HttpMethod.*;
import static org.springframework.security.config.Customizer.withDefaults;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.*;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.*;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.time.Instant;
import java.util.*;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.*;
import org.springframework.security.oauth2.server.resource.web.*;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.*;

@SpringBootApplication
@RestController
public class Server {
  record AuthRequest(Map<String, String> fields) {}

  record AuthResponse(boolean success, String token, String error, Map<String, Object> screen) {}

  private final ImmutableJWKSet<SecurityContext> keys;

  Server() throws Exception {
    keys = new ImmutableJWKSet<>(new JWKSet(ECKey.parse(System.getenv("KEY"))));
  }

  @Bean
  JwtDecoder decoder() {
    var processor = new DefaultJWTProcessor<SecurityContext>();
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.ES256, keys));
    return new NimbusJwtDecoder(processor);
  }

  /** The login ignores the token of a request, valid or not. */
  @Bean
  BearerTokenResolver resolver() {
    var resolver = new DefaultBearerTokenResolver();
    return request -> request.getServletPath().equals("/auth/login") ? null : resolver.resolve(request);
  }

  @Bean
  SecurityFilterChain guard(HttpSecurity http) throws Exception {
    return http
        .csrf(csrf -> csrf.disable())
        .authorizeHttpRequests(requests -> requests
            .requestMatchers(GET, "/auth/login").permitAll()
            .requestMatchers(POST, "/auth/login").permitAll()
            .anyRequest().authenticated())
        .oauth2ResourceServer(server -> server.jwt(withDefaults()))
        .build();
  }

  @GetMapping("/auth/login")
  Map<String, Object> form() {
    var username = Map.of("id", "username", "label", "User", "type", "Text", "value", "");
    var password = Map.of("id", "password", "label", "Password", "type", "Password", "value", "");
    var section = Map.of("id", "login", "label", "Log in", "fields", List.of(username, password));
    return Map.of(
        "layout", "Card", "title", "Spring Boot", "auth_action", "/auth/login", "sections", List.of(section));
  }

  @PostMapping("/auth/login")
  AuthResponse login(@RequestBody AuthRequest request) {
    var right = Map.of("username", "demo", "password", "demo-password");
    if (request.fields() == null || !request.fields().entrySet().containsAll(right.entrySet()))
      return new AuthResponse(false, null, "Wrong user or password", null);
    var now = Instant.now();
    var header = JwsHeader.with(SignatureAlgorithm.ES256).build();
    var claims = JwtClaimsSet.builder().subject("ada").claim("display_name", "Ada Lovelace")
        .issuedAt(now).expiresAt(now.plusSeconds(3600)).build();
    var token = new NimbusJwtEncoder(keys).encode(JwtEncoderParameters.from(header, claims)).getTokenValue();
    return new AuthResponse(true, token, null, menu("Ada Lovelace"));
  }

  @GetMapping("/menu/main")
  Map<String, Object> mainMenu(@AuthenticationPrincipal Jwt token) {
    return menu(token.getClaimAsString("display_name"));
  }

  private static Map<String, Object> menu(String name) {
    return Map.of("layout", "Menu", "title", "Main menu", "menu", Map.of(), "user_display_name", name);
  }

  @EventListener
  void listening(ServletWebServerInitializedEvent event) {
    System.out.println("http://127.0.0.1:" + event.getWebServer().getPort());
  }

  public static void main(String[] args) {
    System.setProperty("server.address", "127.0.0.1");
    System.setProperty("server.port", System.getenv("PORT"));
    System.setProperty("logging.level.root", "error");
    System.setProperty("spring.main.banner-mode", "off");
    SpringApplication.run(Server.class, args);
  }
}

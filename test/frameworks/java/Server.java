package server;

import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.POST;
import static org.springframework.security.config.Customizer.withDefaults;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.*;
import org.springframework.security.oauth2.server.resource.web.BearerTokenResolver;
import org.springframework.security.oauth2.server.resource.web.DefaultBearerTokenResolver;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Server {
  record Field(String id, String label, String type, String value) {}

  record Section(String id, String label, List<Field> fields) {}

  record Form(String layout, String title, String auth_action, List<Section> sections) {}

  record Menu(String layout, String title, Map<String, Object> menu, String user_display_name) {}

  record AuthRequest(Map<String, String> fields) {}

  record AuthResponse(boolean success, String token, String error, Menu screen) {}

  @Bean
  ImmutableJWKSet<SecurityContext> keys() throws Exception {
    return new ImmutableJWKSet<>(new JWKSet(ECKey.parse(System.getenv("KEY"))));
  }

  @Bean
  JwtEncoder encoder(ImmutableJWKSet<SecurityContext> keys) {
    return new NimbusJwtEncoder(keys);
  }

  @Bean
  JwtDecoder decoder(ImmutableJWKSet<SecurityContext> keys) {
    var processor = new DefaultJWTProcessor<SecurityContext>();
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.ES256, keys));
    return new NimbusJwtDecoder(processor);
  }

  /** A token that a client sends along to the login is ignored there, be it valid or not. */
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
  Form form() {
    var username = new Field("username", "User", "Text", "");
    var password = new Field("password", "Password", "Password", "");
    var section = new Section("login", "Log in", List.of(username, password));
    return new Form("Card", "Spring Boot", "/auth/login", List.of(section));
  }

  @PostMapping("/auth/login")
  AuthResponse login(@RequestBody AuthRequest request) throws Exception {
    var right = Map.of("username", "demo", "password", "demo-password");
    if (request.fields() == null || !request.fields().entrySet().containsAll(right.entrySet()))
      return new AuthResponse(false, null, "Wrong user or password", null);
    var now = Instant.now();
    var header = JwsHeader.with(SignatureAlgorithm.ES256).build();
    var claims = JwtClaimsSet.builder().subject("ada").claim("display_name", "Ada Lovelace")
        .issuedAt(now).expiresAt(now.plusSeconds(3600)).build();
    var token = encoder(keys()).encode(JwtEncoderParameters.from(header, claims)).getTokenValue();
    return new AuthResponse(true, token, null, menu("Ada Lovelace"));
  }

  @GetMapping("/menu/main")
  Menu mainMenu(@AuthenticationPrincipal Jwt token) {
    return menu(token.getClaimAsString("display_name"));
  }

  private static Menu menu(String name) {
    return new Menu("Menu", "Main menu", Map.of(), name);
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

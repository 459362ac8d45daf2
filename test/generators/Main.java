import java.util.Map;
import java.util.stream.Collectors;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.model.*;

public class Main {
    public static void main(String[] args) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(args[0]);
        AuthenticationApi api = new AuthenticationApi(client);

        ScreenContract form = api.getAuthLogin();
        String ids = form.getSections().stream()
            .flatMap(section -> section.getFields().stream())
            .map(field -> field.getId())
            .collect(Collectors.joining(" "));
        System.out.printf("form: %s %s %s%n", form.getLayout(), form.getAuthAction(), ids);

        AuthResponse rejected = logIn(api, args[1], "wrong");
        if (!rejected.getSuccess() && rejected.getToken() == null && rejected.getScreen() == null)
            System.out.printf("rejected: %s%n", rejected.getError());

        AuthResponse accepted = logIn(api, args[1], args[2]);
        if (accepted.getSuccess() && accepted.getError() == null) show("accepted", accepted.getScreen());

        String bearer = "Bearer " + accepted.getToken();
        client.setRequestInterceptor(request -> request.header("Authorization", bearer));
        show("menu", new AuthenticationApi(client).getMenuMain());
    }

    static AuthResponse logIn(AuthenticationApi api, String username, String password) throws Exception {
        return api.postAuthLogin(new AuthRequest().fields(Map.of("username", username, "password", password)));
    }

    static void show(String what, ScreenContract screen) {
        System.out.printf("%s: %s, %s%n", what, screen.getTitle(), screen.getUserDisplayName());
    }
}

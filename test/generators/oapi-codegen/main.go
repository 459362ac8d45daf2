package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/login/contract"
)

func main() {
	base, username, password := os.Args[1], os.Args[2], os.Args[3]
	client, err := contract.NewClientWithResponses(base)
	check(err)
	ctx := context.Background()

	form, err := client.GetAuthLoginWithResponse(ctx)
	check(err)
	fmt.Printf("form: %s %s", form.JSON200.Layout, *form.JSON200.AuthAction)
	for _, section := range *form.JSON200.Sections {
		for _, field := range section.Fields {
			fmt.Print(" ", field.Id)
		}
	}
	fmt.Println()

	rejected := logIn(client, username, "wrong")
	if !rejected.Success && rejected.Token == nil {
		fmt.Println("rejected:", *rejected.Error)
	}

	accepted := logIn(client, username, password)
	if accepted.Success && accepted.Error == nil {
		show("accepted", screenOf(accepted))
	}

	bearer := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+*accepted.Token)
		return nil
	}
	menu, err := client.GetMenuMainWithResponse(ctx, bearer)
	check(err)
	show("menu", menu.JSON200)
}

func logIn(client *contract.ClientWithResponses, username, password string) *contract.AuthResponse {
	body := contract.AuthRequest{Fields: map[string]string{"username": username, "password": password}}
	response, err := client.PostAuthLoginWithResponse(context.Background(), body)
	check(err)
	return response.JSON200
}

func show(what string, screen *contract.ScreenContract) {
	fmt.Printf("%s: %s, %s\n", what, *screen.Title, *screen.UserDisplayName)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

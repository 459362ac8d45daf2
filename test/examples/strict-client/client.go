package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// client has a base URL, a language, and a file for the state that survives a
// restart.
type client struct {
	base, language, file string
	step                 string
	memory               memory

	// The paths that walk finds in the menu.
	contacts, newContact, users, password string
}

// memory is saved to the file.
type memory struct {
	Token   string
	Created []string
}

// fatalf ends the run at the first failure, as a test's Fatalf does, so that
// the steps need no error handling.
func (c *client) fatalf(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "FAILED: %s: %s\n", c.step, fmt.Sprintf(format, values...))
	os.Exit(1)
}

func (c *client) must(err error) {
	if err != nil {
		c.fatalf("%v", err)
	}
}

func (c *client) remember(token string) {
	c.memory.Token = token
	data, err := json.Marshal(c.memory)
	c.must(err)
	c.must(os.WriteFile(c.file, data, 0o600))
}

// Redirects are not followed, so they fail like any response other than a 2xx.
var web = http.Client{
	Timeout:       20 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send sends one request and decodes the body of a 2xx response. It ignores
// the body of any other response.
func (c *client) send(method, path string, body, target any) int {
	var content bytes.Buffer
	if method == "POST" {
		c.must(json.NewEncoder(&content).Encode(body))
	}
	request, err := http.NewRequest(method, c.base+path, &content)
	c.must(err)
	if method == "POST" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.memory.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.memory.Token)
	}
	if c.language != "en" {
		request.Header.Set("Accept-Language", c.language)
	}
	response, err := web.Do(request)
	c.must(err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	c.must(err)
	if response.StatusCode/100 != 2 {
		return response.StatusCode
	}
	if language := response.Header.Get("Content-Language"); language != c.language {
		c.fatalf("%s %s: Content-Language is %q", method, path, language)
	}
	if err := decode(data, target); err != nil {
		c.fatalf("%s %s: %v", method, path, err)
	}
	return response.StatusCode
}

func (c *client) screen(method, path string, body any) *Screen {
	screen := new(Screen)
	if status := c.send(method, path, body, screen); status/100 != 2 {
		c.fatalf("%s %s: status %d", method, path, status)
	}
	return screen
}

func (c *client) open(path string) *Screen { return c.screen("GET", path, nil) }

// act posts to one of a Card's actions. Known clients take the record's id
// from the first field, so a server must identify the record by the URL.
func (c *client) act(card *Screen, action string, changes map[string]string) *Screen {
	if card.Actions.of(action) == "" {
		c.fatalf("%q has no actions.%s", card.Title, action)
	}
	body := map[string]any{"screen_id": card.ScreenID, "record_id": c.first(card).Value}
	if action != "delete" {
		body["changes"], body["action"], body["lines"] = changes, action, []string{}
	}
	return c.screen("POST", string(card.Actions.of(action)), body)
}

// first returns the first field, or the first one of the given types.
func (c *client) first(card *Screen, types ...FieldType) Field {
	fields := card.fields(types...)
	if len(fields) == 0 {
		c.fatalf("%q has no field %v", card.Title, types)
	}
	return fields[0]
}

// menu returns the main menu, and whether the token is valid.
func (c *client) menu() (*Screen, bool) {
	screen := new(Screen)
	status := c.send("GET", "/menu/main", nil, screen)
	if status != http.StatusUnauthorized && (status != http.StatusOK || screen.Layout != "Menu") {
		c.fatalf("the main menu: status %d, layout %q", status, screen.Layout)
	}
	return screen, status == http.StatusOK
}

// logIn submits the login form, and keeps the token if the password is right.
func (c *client) logIn(password string, right bool) {
	form := c.open("/auth/login")
	if form.Layout != "Card" || form.AuthAction == "" {
		c.fatalf("a %s with auth_action %q is no login form", form.Layout, form.AuthAction)
	}
	typed := map[string]string{}
	for _, field := range form.fields() {
		typed[field.ID] = username
		if field.Type == "Password" {
			typed[field.ID] = password
		}
	}
	response := new(AuthResponse)
	status := c.send("POST", string(form.AuthAction), map[string]any{"fields": typed}, response)
	hasToken, hasError, hasScreen := response.Token != nil, response.Error != nil && *response.Error != "", response.Screen != nil
	if status != http.StatusOK || response.Success != right || hasToken != right || hasError == right || hasScreen != right {
		c.fatalf("POST %s: status %d, %+v where success has to be %v", form.AuthAction, status, *response, right)
	}
	if right {
		c.remember(*response.Token)
	}
}

// follow returns on_select with the values of a row.
func follow(lines *Lines, row Row) string {
	path := string(lines.OnSelect)
	for i, value := range row.Values {
		escaped := strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
		path = strings.ReplaceAll(path, fmt.Sprintf("{%d}", i), escaped)
	}
	return path
}

// search replaces the query string of a list, as clients do for typed text.
func (c *client) search(list, text string) *Screen {
	path, _, _ := strings.Cut(list, "?")
	found := c.open(path + "?query=" + url.QueryEscape(text))
	if found.Layout != "List" {
		c.fatalf("a search for %q led to a %s", text, found.Layout)
	}
	return found
}

// find returns the URL of the only record with this name.
func (c *client) find(name string) string {
	lines := c.search(c.contacts, name).Lines
	if len(lines.Rows) != 1 {
		c.fatalf("%d records are named %q", len(lines.Rows), name)
	}
	return follow(lines, lines.Rows[0])
}

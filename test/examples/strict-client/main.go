// Strictclient is a client of the screen service that was written from its
// description alone, without a look at the server or at any other client.
//
//	go run . BASE_URL LANGUAGE STATE_FILE before|after
//
// The server is restarted between the two stages, with the same database.
package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
)

type step struct {
	name string
	run  func(*client)
}

var stages = map[string][]step{
	"before": {
		{"log in", (*client).firstLogin},
		{"walk", (*client).walk},
		{"create from the list", (*client).createFromList},
		{"create from the menu", (*client).createFromMenu},
		{"edit", (*client).edit},
		{"wrong input", (*client).wrongInput},
		{"search", (*client).searches},
		{"conflict", (*client).conflict},
		{"screen actions", (*client).press},
	},
	"after": {
		{"token over a restart", (*client).tokenOverRestart},
		{"walk", (*client).walk},
		{"edit a kept record", (*client).edit},
		{"delete", (*client).remove},
		{"log out", (*client).logOut},
		{"change the password", (*client).changePassword},
	},
}

const (
	username    = "demo"
	oldPassword = "demo-password"
	newPassword = "Straße 7, third door left"
)

func main() {
	if len(os.Args) != 5 || stages[os.Args[4]] == nil {
		fmt.Fprintln(os.Stderr, "usage: strictclient BASE_URL en|de STATE_FILE before|after")
		os.Exit(2)
	}
	base, err := url.Parse(os.Args[1])
	c := &client{language: os.Args[2], file: os.Args[3], step: "start"}
	c.must(err)
	c.origin = base.Scheme + "://" + base.Host
	c.prefix = strings.TrimSuffix(base.Path, "/")
	if data, err := os.ReadFile(c.file); err == nil {
		c.must(json.Unmarshal(data, &c.memory))
	}
	if c.memory.Tokens == nil {
		c.memory.Tokens = map[string]string{}
	}
	for _, step := range stages[os.Args[4]] {
		c.step = step.name
		step.run(c)
		fmt.Println("ok:", c.step)
	}
}

func (c *client) firstLogin() {
	c.logOut()
	c.logIn("not the password", false)
	c.logIn(oldPassword, true)
	if _, ok := c.menu(); !ok {
		c.fatalf("the token is not good for the menu")
	}
}

// logOut forgets the token, without a word to the server: the next request is a 401.
func (c *client) logOut() {
	c.remember("")
	if _, ok := c.menu(); ok {
		c.fatalf("the menu is open to anyone")
	}
}

func (c *client) tokenOverRestart() {
	if c.token() == "" {
		c.fatalf("no token was kept")
	}
	if _, ok := c.menu(); ok {
		return
	}
	c.step += " (not accepted, logged in again)"
	c.logIn(oldPassword, true)
}

// walk opens everything that a screen names, and takes note of the screens of
// the menu that the other steps need.
func (c *client) walk() {
	menu, _ := c.menu()
	var inMenu, queue []string
	var gather func([]MenuItem)
	gather = func(items []MenuItem) {
		for _, item := range items {
			if kind := item.Action.Type; kind == "open_screen" || kind == "open_menu" {
				inMenu = append(inMenu, *item.Action.URL)
			}
			gather(item.Action.Items)
		}
	}
	for _, tab := range menu.Menu.Tabs {
		gather(tab.Items)
	}
	// An empty path is one that a screen does not have.
	opened := map[string]*Screen{"": menu}
	for queue = inMenu; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		if opened[path] != nil {
			continue
		}
		screen := c.open(path)
		opened[path] = screen
		queue = append(queue, string(screen.ParentURL))
		if screen.Lines != nil {
			queue = append(queue, string(screen.Actions["create"]))
			for _, row := range screen.Lines.Rows {
				queue = append(queue, follow(screen.Lines, row))
			}
		}
		for _, action := range screen.ScreenActions {
			c.buttons = append(c.buttons, button{screen, action})
		}
	}
	for _, path := range inMenu {
		screen := opened[path]
		creates, saves := screen.Actions["create"] != "", screen.Actions["save"] != ""
		switch {
		case screen.Layout == "List" && creates && c.contacts == "":
			c.contacts = path
		case screen.Layout == "List" && !creates && c.users == "":
			c.users = path
		case screen.Layout == "Card" && saves && len(screen.fields("Password")) > 0:
			c.password = path
		case screen.Layout == "Card" && saves && creates:
			c.newContact = path
		}
	}
	if c.contacts == "" || c.users == "" || c.password == "" || c.newContact == "" {
		c.fatalf("the menu lacks a list, a list without create, a card to create, or one for the password")
	}
	c.step += fmt.Sprintf(" (%d screens)", len(opened))
}

// sample types a name, a date and a number into the first fields that take them.
func (c *client) sample(card *Screen, name, date, number string) map[string]string {
	return map[string]string{
		c.first(card, "Text").ID: name, c.first(card, "Date").ID: date, c.first(card, "Decimal").ID: number,
	}
}

// expect compares what a Card shows with what was typed in its locale's form.
func (c *client) expect(card *Screen, typed map[string]string) {
	if card.Layout != "Card" || card.refused() {
		c.fatalf("a %s with the status %q", card.Layout, card.Status)
	}
	for id, text := range typed {
		got := card.value(id)
		a, err := card.Locale.number(got)
		b, err2 := card.Locale.number(text)
		sameNumber := err == nil && err2 == nil && a == b
		if got != text && !sameNumber {
			c.fatalf("%s is %q, not %q", id, got, text)
		}
	}
}

// create fills a new Card in and sends all of it, or only what was typed. It
// gives that Card and what was sent, for a caller that repeats it.
func (c *client) create(path, action, name string, all bool) (*Screen, map[string]string) {
	card := c.open(path)
	name = fmt.Sprintf("%s Strict %d", name, time.Now().UnixNano())
	typed := c.sample(card, name, card.Locale.date("29", "02", "1988"), "41"+card.Locale.DecimalSeparator+"75")
	for _, field := range card.fields() {
		if _, there := typed[field.ID]; !there && all && field.editable() {
			typed[field.ID] = field.Value
		}
	}
	c.expect(c.act(card, action, typed), typed)
	c.find(name)
	c.memory.Created = append(c.memory.Created, name)
	c.remember(c.token())
	return card, typed
}

func (c *client) createFromList() {
	c.memory.Created = nil
	card, typed := c.create(string(c.open(c.contacts).Actions["create"]), "create", "Zoë", true)
	// The response may have been lost, and a person presses the key again.
	c.act(card, "create", typed)
	c.find(c.memory.Created[0])
}

func (c *client) createFromMenu() { c.create(c.newContact, "save", "Jürgen", false) }

func (c *client) edit() {
	for _, name := range c.memory.Created {
		c.find(name)
	}
	name := c.memory.Created[0]
	path := c.find(name)
	card := c.open(path)
	l := card.Locale
	// Each is typed in one form, and shown in that of the locale.
	for _, pair := range [][2]map[string]string{
		{c.sample(card, name, l.date("31", "12", "1990"), "62"+l.DecimalSeparator+"5"), nil},
		{c.sample(card, name, "1991-01-30", "70.25"), c.sample(card, name, l.date("30", "01", "1991"), "70"+l.DecimalSeparator+"25")},
		{c.sample(card, name, l.date("01", "02", "1992"), "1"+l.ThousandSeparator+"234"+l.DecimalSeparator+"5"), nil},
	} {
		typed, shown := pair[0], pair[1]
		if shown == nil {
			shown = typed
		}
		// The response replaces the screen, so the next save is made from it.
		card = c.act(card, "save", typed)
		c.expect(card, shown)
		c.expect(c.open(path), shown)
	}
}

func (c *client) wrongInput() {
	path := c.find(c.memory.Created[0])
	card := c.open(path)
	l, date, decimal := card.Locale, c.first(card, "Date"), c.first(card, "Decimal")
	before := map[string]string{}
	for _, field := range card.fields() {
		before[field.ID] = field.Value
	}
	try := func(field Field, text string) {
		response := c.act(card, "save", map[string]string{field.ID: text})
		if !response.refused() || !strings.Contains(response.Status, field.Label) {
			c.fatalf("%s %q has the status %q", field.Label, text, response.Status)
		}
		c.expect(c.open(path), before)
	}
	for _, text := range []string{
		l.date("31", "02", "1990"), l.date("12", "31", "1990"), l.date("31", "12", "90"), "1990-02-31", "soon",
	} {
		try(date, text)
	}
	numbers := []string{"1" + l.ThousandSeparator + "25" + l.ThousandSeparator + "0", "some"}
	if l.ThousandSeparator == "." {
		// One and a quarter, or more than a thousand?
		numbers = append(numbers, "1.250")
	} else {
		numbers = append(numbers, "12"+l.ThousandSeparator+"3456")
	}
	for _, text := range numbers {
		try(decimal, text)
	}
}

func (c *client) searches() {
	// What is typed, and what has to be in a cell of a row that is found.
	for _, search := range [][2]string{
		{"die tr", "Élodie Tran"}, {"ÉLODIE", "Élodie Tran"}, {"elodie", "Élodie Tran"}, {"zoe strict", c.memory.Created[0]},
	} {
		c.hits(c.contacts, search[0], search[1], false)
	}
	all := c.open(c.contacts)
	yes, dates := "", 0
	for _, row := range all.Lines.Rows {
		for i, column := range all.Lines.Columns {
			if column.Type == "Date" && row.Values[i] != "" {
				dates++
				c.hits(c.contacts, row.Values[i], row.Values[i], true)
			}
		}
		yes = c.first(c.open(follow(all.Lines, row)), "Boolean").TrueLabel
	}
	if dates == 0 {
		c.fatalf("no list row shows a date to search for")
	}
	c.hits(c.contacts, yes, yes, true)

	c.hits(c.users, strings.ToUpper(username[1:]), username, false)
	for _, list := range []string{c.contacts, c.users} {
		if none := c.search(list, "nothing is like this"); len(none.Lines.Rows) != 0 || none.Status == "" {
			c.fatalf("%s: %d rows and the status %q for what is not there", list, len(none.Lines.Rows), none.Status)
		}
	}
}

// hits searches and wants a cell with this text: in each row, if only that
// cell can have been found.
func (c *client) hits(list, text, cell string, each bool) {
	rows, with := c.search(list, text).Lines.Rows, 0
	for _, row := range rows {
		if strings.Contains("\n"+strings.Join(row.Values, "\n")+"\n", "\n"+cell+"\n") {
			with++
		}
	}
	if with == 0 || each && with < len(rows) {
		c.fatalf("%q finds %d rows, %d with %q", text, len(rows), with, cell)
	}
}

// conflict saves twice from one copy, as two people do who opened it at once.
func (c *client) conflict() {
	path := c.find(c.memory.Created[0])
	card := c.open(path)
	name, l := c.first(card, "Text").Value, card.Locale
	mine, theirs := c.sample(card, name, l.date("04", "05", "1981"), "1"), c.sample(card, name, l.date("05", "06", "1982"), "2")
	c.expect(c.act(card, "save", mine), mine)
	if response := c.act(card, "save", theirs); !response.refused() {
		c.fatalf("the second save has the status %q", response.Status)
	}
	c.expect(c.open(path), mine)
}

func (c *client) press() {
	for _, b := range c.buttons {
		typed := map[string]string{}
		for _, field := range b.action.Fields {
			typed[field.ID] = field.Value
		}
		response := new(ActionResponse)
		status := c.ask("POST", string(b.action.Endpoint), map[string]any{
			"action_id": b.action.ID, "record_id": b.screen.RecordID, "screen_title": b.screen.Title, "fields": typed,
		}, response)
		if status/100 != 2 {
			c.fatalf("%s: status %d", b.action.Label, status)
		}
		for _, next := range []Path{response.RedirectURL, response.PushURL} {
			if next != "" {
				c.open(string(next))
			}
		}
	}
	c.step += fmt.Sprintf(" (%d)", len(c.buttons))
}

func (c *client) remove() {
	for _, name := range c.memory.Created {
		list := c.act(c.open(c.find(name)), "delete", nil)
		if list.Layout != "List" || list.refused() {
			c.fatalf("the response is a %s with the status %q", list.Layout, list.Status)
		}
		for _, row := range list.Lines.Rows {
			if strings.Contains(strings.Join(row.Values, "\n"), name) {
				c.fatalf("%q is still in the list", name)
			}
		}
	}
}

func (c *client) changePassword() {
	c.logIn(oldPassword, true)
	card := c.open(c.password)
	fill := func(passwords ...string) *Screen {
		typed := map[string]string{}
		for i, field := range card.fields("Password") {
			typed[field.ID] = passwords[i%len(passwords)]
		}
		return c.act(card, "save", typed)
	}
	for _, wrong := range [][]string{
		{oldPassword, newPassword, newPassword + "?"}, {"not the password", newPassword, newPassword},
	} {
		if response := fill(wrong...); !response.refused() {
			c.fatalf("wrong passwords have the status %q", response.Status)
		}
	}
	// Some clients show their own word for a moment instead of the status: a
	// message that matters has to be on the screen itself.
	message := ""
	response := fill(oldPassword, newPassword, newPassword)
	for _, field := range response.fields() {
		message += field.Value
	}
	if response.refused() || message == "" {
		c.fatalf("no field has a message, and the status is %q", response.Status)
	}
	c.logOut()
	c.logIn(oldPassword, false)
	c.logIn(newPassword, true)
}

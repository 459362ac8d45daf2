// Strictclient is a client of the screen service that was written only from its
// description, without reading the code of the server or of another client.
//
//	go run . BASE_URL LANGUAGE STATE_FILE before|after
//
// The server is restarted between the two stages, with the same database.
package main

import (
	"encoding/json"
	"fmt"
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
	c := &client{base: os.Args[1], language: os.Args[2], file: os.Args[3]}
	if data, err := os.ReadFile(c.file); err == nil {
		c.must(json.Unmarshal(data, &c.memory))
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

// logOut deletes the token without a request to the server, so the next request returns 401.
func (c *client) logOut() {
	c.remember("")
	if _, ok := c.menu(); ok {
		c.fatalf("the menu is open to anyone")
	}
}

func (c *client) tokenOverRestart() {
	if _, ok := c.menu(); !ok {
		c.fatalf("the kept token is refused")
	}
}

// walk opens every URL that a screen names, and notes the screens of the menu
// that the other steps need.
func (c *client) walk() {
	menu, _ := c.menu()
	var inMenu, queue []string
	for _, tab := range menu.Menu.Tabs {
		for _, item := range tab.Items {
			if item.Action.Type == "open_screen" {
				inMenu = append(inMenu, *item.Action.URL)
			}
		}
	}
	// The path is empty if a screen has no such URL: nothing to open.
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
			queue = append(queue, string(screen.Actions.Create))
			for _, row := range screen.Lines.Rows {
				queue = append(queue, follow(screen.Lines, row))
			}
		}
	}
	for _, path := range inMenu {
		screen := opened[path]
		creates, saves := screen.Actions.Create != "", screen.Actions.Save != ""
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
}

// sample returns values for the first fields that take a name, a date and a number.
func (c *client) sample(card *Screen, name, date, number string) map[string]string {
	return map[string]string{
		c.first(card, "Text").ID: name, c.first(card, "Date").ID: date, c.first(card, "Decimal").ID: number,
	}
}

// expect compares the values of a Card with the typed ones in its locale.
func (c *client) expect(card *Screen, typed map[string]string) {
	if card.Layout != "Card" || card.refused() {
		c.fatalf("a %s with the status %q", card.Layout, card.Status)
	}
	for id, text := range typed {
		shown := card.value(id)
		a, err := card.Locale.number(shown)
		b, err2 := card.Locale.number(text)
		if shown != text && (err != nil || err2 != nil || a != b) {
			c.fatalf("%s is %q, not %q", id, shown, text)
		}
	}
}

// create fills in a new Card and sends all fields or only the typed ones. It
// returns the Card and the sent values, so that the caller can repeat it.
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
	c.remember(c.memory.Token)
	return card, typed
}

func (c *client) createFromList() {
	c.memory.Created = nil
	card, typed := c.create(string(c.open(c.contacts).Actions.Create), "create", "Zoë", true)
	// If the response is lost, a person presses the key again.
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
	iso, shown := c.sample(card, name, "1991-01-30", "70.25"), c.sample(card, name, l.date("30", "01", "1991"), "70"+l.DecimalSeparator+"25")
	local := c.sample(card, name, l.date("01", "02", "1992"), "1"+l.ThousandSeparator+"234"+l.DecimalSeparator+"5")
	for _, pair := range [][2]map[string]string{{iso, shown}, {local, local}} {
		// The response replaces the screen, so the next save starts from it.
		card = c.act(card, "save", pair[0])
		c.expect(card, pair[1])
		c.expect(c.open(path), pair[1])
	}
}

func (c *client) wrongInput() {
	path := c.find(c.memory.Created[0])
	card := c.open(path)
	l, before := card.Locale, map[string]string{}
	for _, field := range card.fields() {
		before[field.ID] = field.Value
	}
	for kind, texts := range map[FieldType][]string{
		"Date":    {l.date("31", "02", "1990"), l.date("12", "31", "1990"), l.date("31", "12", "90"), "1990-02-31", "soon"},
		"Decimal": {"1" + l.ThousandSeparator + "25" + l.ThousandSeparator + "0", "some"},
	} {
		field := c.first(card, kind)
		for _, text := range texts {
			response := c.act(card, "save", map[string]string{field.ID: text})
			if !response.refused() || !strings.Contains(response.Status, field.Label) {
				c.fatalf("%s %q has the status %q", field.Label, text, response.Status)
			}
			c.expect(c.open(path), before)
		}
	}
}

func (c *client) searches() {
	// The typed text, and the value of a cell that must be found.
	c.hits(c.contacts, "elodie", "Élodie Tran")
	c.hits(c.contacts, "zoe strict", c.memory.Created[0])
	c.hits(c.users, strings.ToUpper(username[1:]), username)
	date := c.first(c.open(c.find(c.memory.Created[0])), "Date").Value
	c.hits(c.contacts, date, date)
	for _, list := range []string{c.contacts, c.users} {
		if none := c.search(list, "nothing is like this"); len(none.Lines.Rows) != 0 || none.Status == "" {
			c.fatalf("%s: %d rows and the status %q for what is not there", list, len(none.Lines.Rows), none.Status)
		}
	}
}

// hits searches for a text, and requires a row with this cell.
func (c *client) hits(list, text, cell string) {
	for _, row := range c.search(list, text).Lines.Rows {
		if oneOf(cell, row.Values...) == nil {
			return
		}
	}
	c.fatalf("%q does not find %q", text, cell)
}

// conflict saves twice from one copy, as two people do who opened it at the same time.
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

func (c *client) remove() {
	for _, name := range c.memory.Created {
		list := c.act(c.open(c.find(name)), "delete", nil)
		if list.Layout != "List" || list.refused() {
			c.fatalf("the response is a %s with the status %q", list.Layout, list.Status)
		}
		if rows := c.search(c.contacts, name).Lines.Rows; len(rows) > 0 {
			c.fatalf("%q is still in the list", name)
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
	// Some clients briefly show their own text instead of the status, so an
	// important message must be on the screen itself.
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

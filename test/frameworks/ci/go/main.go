// A small screen service, to try the commands of conformance/docs/ci.md on.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
)

type object = map[string]any

var tokens sync.Map

var form = object{
	"layout":      "Card",
	"title":       "Log in",
	"auth_action": "/auth/login",
	"sections": []object{{
		"id":    "login",
		"label": "Log in",
		"fields": []object{
			{"id": "username", "label": "User", "type": "Text", "value": ""},
			{"id": "password", "label": "Password", "type": "Password", "value": ""},
		},
	}},
}

var menu = object{
	"layout":            "Menu",
	"title":             "Main Menu",
	"menu":              object{"panel_title": "Main", "tabs": []object{}},
	"user_display_name": "Demo User",
}

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(serve)))
}

func serve(w http.ResponseWriter, r *http.Request) {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	switch {
	case path == "/auth/login" && r.Method == "GET":
		send(w, form)
	case path == "/auth/login" && r.Method == "POST":
		logIn(w, r)
	case !isLoggedIn(r):
		w.Header().Set("WWW-Authenticate", `Bearer realm="screens"`)
		w.WriteHeader(http.StatusUnauthorized)
	case path == "/menu/main" && (r.Method == "GET" || r.Method == "HEAD"):
		send(w, menu)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func isLoggedIn(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	_, isKnown := tokens.Load(token)
	return strings.EqualFold(scheme, "Bearer") && isKnown
}

func logIn(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Fields struct{ Username, Password string }
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	if err != nil || body.Fields.Username != "demo" || body.Fields.Password != "demo-password" {
		send(w, object{"success": false, "token": nil, "error": "Wrong user or password.", "screen": nil})
		return
	}
	random := make([]byte, 32)
	rand.Read(random)
	token := hex.EncodeToString(random)
	tokens.Store(token, true)
	send(w, object{"success": true, "token": token, "error": nil, "screen": menu})
}

func send(w http.ResponseWriter, value object) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(value)
}

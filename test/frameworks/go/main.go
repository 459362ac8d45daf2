package main

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

type object map[string]any

type authResponse struct {
	Success bool    `json:"success"`
	Token   *string `json:"token"`
	Error   *string `json:"error"`
	Screen  object  `json:"screen"`
}

type claims struct {
	DisplayName string `json:"display_name"`
	jwt.RegisteredClaims
}

type nameKey struct{}

var form = object{"layout": "Card", "title": "Go", "auth_action": "/auth/login", "sections": []object{{
	"id": "login", "label": "Log in", "fields": []object{
		{"id": "username", "label": "User", "type": "Text", "value": ""},
		{"id": "password", "label": "Password", "type": "Password", "value": ""},
	},
}}}

var privateKey *rsa.PrivateKey

func menu(name string) object {
	return object{"layout": "Menu", "title": "Main menu", "menu": object{}, "user_display_name": name}
}

func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(body)
}

func login(w http.ResponseWriter, r *http.Request) {
	var request struct{ Fields map[string]string }
	err := json.NewDecoder(r.Body).Decode(&request)
	if err != nil || request.Fields["username"] != "demo" || request.Fields["password"] != "demo-password" {
		message := "Wrong user or password"
		writeJSON(w, authResponse{Error: &message})
		return
	}
	now := time.Now()
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims{"Ada Lovelace", jwt.RegisteredClaims{
		Subject: "ada", IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour)),
	}}).SignedString(privateKey)
	if err != nil {
		panic(err)
	}
	writeJSON(w, authResponse{Success: true, Token: &token, Screen: menu("Ada Lovelace")})
}

func publicKey(*jwt.Token) (any, error) { return &privateKey.PublicKey, nil }

func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/auth/login" && (r.Method == "GET" || r.Method == "POST") {
			next.ServeHTTP(w, r)
			return
		}
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		var user claims
		_, err := jwt.ParseWithClaims(token, &user, publicKey, jwt.WithValidMethods([]string{"RS256"}))
		if err != nil || !strings.EqualFold(scheme, "Bearer") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), nameKey{}, user.DisplayName)))
	})
}

func main() {
	var err error
	if privateKey, err = jwt.ParseRSAPrivateKeyFromPEM([]byte(os.Getenv("KEY"))); err != nil {
		panic(err)
	}
	http.HandleFunc("GET /auth/login", func(w http.ResponseWriter, r *http.Request) { writeJSON(w, form) })
	http.HandleFunc("POST /auth/login", login)
	http.HandleFunc("GET /menu/main", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, menu(r.Context().Value(nameKey{}).(string)))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	panic(http.Serve(listener, guard(http.DefaultServeMux)))
}

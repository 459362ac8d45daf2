//go:build openapi30

package main

import "example.com/login/contract"

// OpenAPI 3.0 has no reference that may be null: the type is a union of a screen and null.
func screenOf(response *contract.AuthResponse) *contract.ScreenContract {
	screen, err := response.Screen.AsScreenContract()
	check(err)
	return &screen
}

//go:build !openapi30

package main

import "example.com/login/contract"

func screenOf(response *contract.AuthResponse) *contract.ScreenContract {
	return response.Screen
}

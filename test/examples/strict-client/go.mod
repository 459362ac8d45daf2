module strictclient

go 1.19

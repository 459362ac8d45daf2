module example/screens

go 1.22

package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// decode fills target, a pointer, from JSON. Unlike encoding/json it fails on
// null, and on a missing property that is tagged `need:"yes"`: some known
// clients show nothing at all in these cases. Properties have the names of the
// struct's fields in snake_case, so the types can stay as short as the schema.
func decode(data []byte, target any) error {
	return read(data, reflect.ValueOf(target).Elem(), "body")
}

func read(data json.RawMessage, v reflect.Value, path string) error {
	if string(data) == "null" {
		return fmt.Errorf("%s is null", path)
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return read(data, v.Elem(), path)
	}
	var err error
	target := v.Addr().Interface()
	_, custom := target.(json.Unmarshaler)
	switch {
	case !custom && v.Kind() == reflect.Struct:
		err = readStruct(data, v)
	case !custom && v.Kind() == reflect.Slice:
		var items []json.RawMessage
		err = json.Unmarshal(data, &items)
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i := 0; err == nil && i < len(items); i++ {
			err = read(items[i], v.Index(i), fmt.Sprintf("[%d]", i))
		}
	default:
		err = json.Unmarshal(data, target)
	}
	if value, ok := target.(interface{ valid() error }); ok && err == nil {
		err = value.valid()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func readStruct(data json.RawMessage, v reflect.Value) error {
	var properties map[string]json.RawMessage
	err := json.Unmarshal(data, &properties)
	for i := 0; err == nil && i < v.NumField(); i++ {
		field := v.Type().Field(i)
		name := snake(field.Name)
		property, there := properties[name]
		if !there && field.Tag.Get("need") != "" {
			err = fmt.Errorf("%s is missing", name)
		} else if there && (string(property) != "null" || field.Tag.Get("null") == "") {
			err = read(property, v.Field(i), name)
		}
	}
	return err
}

var hump = regexp.MustCompile(`([a-z])([A-Z])`)

func snake(name string) string {
	return strings.ToLower(hump.ReplaceAllString(name, "${1}_$2"))
}

// oneOf checks the value of an enum.
func oneOf[T ~string](value T, allowed ...T) error {
	for _, each := range allowed {
		if value == each {
			return nil
		}
	}
	return fmt.Errorf("%q is none of %v", value, allowed)
}

package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// decode fills target, a pointer, from JSON and fails where encoding/json
// would shrug: on null, and on a property that is tagged `need:"yes"` and left
// out. Properties have the names of the struct's fields in snake_case, so the
// types can stay as short as the schema. Clients exist that show nothing at
// all after such a failure.
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
	err := fill(data, v, path)
	if value, ok := v.Addr().Interface().(interface{ valid() error }); ok && err == nil {
		if err = value.valid(); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return err
}

func fill(data json.RawMessage, v reflect.Value, path string) error {
	var err error
	var properties map[string]json.RawMessage
	_, custom := v.Addr().Interface().(json.Unmarshaler)
	switch {
	case !custom && v.Kind() == reflect.Struct:
		err = json.Unmarshal(data, &properties)
		for i := 0; err == nil && i < v.NumField(); i++ {
			field := v.Type().Field(i)
			property, there := properties[snake(field.Name)]
			switch {
			case !there && field.Tag.Get("need") != "":
				return fmt.Errorf("%s.%s is missing", path, snake(field.Name))
			case there && (string(property) != "null" || field.Tag.Get("null") == ""):
				err = read(property, v.Field(i), path+"."+snake(field.Name))
			}
		}
		return err
	case !custom && v.Kind() == reflect.Map:
		err = json.Unmarshal(data, &properties)
		v.Set(reflect.MakeMap(v.Type()))
		for key, property := range properties {
			value := reflect.New(v.Type().Elem()).Elem()
			if err := read(property, value, path+"."+key); err != nil {
				return err
			}
			v.SetMapIndex(reflect.ValueOf(key), value)
		}
	case !custom && v.Kind() == reflect.Slice:
		var items []json.RawMessage
		err = json.Unmarshal(data, &items)
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			if err := read(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	default:
		err = json.Unmarshal(data, v.Addr().Interface())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

var hump = regexp.MustCompile(`([a-z])([A-Z])`)

func snake(name string) string {
	return strings.ToLower(hump.ReplaceAllString(name, "${1}_$2"))
}

// oneOf is the check of an enum.
func oneOf[T ~string](value T, allowed ...T) error {
	for _, each := range allowed {
		if value == each {
			return nil
		}
	}
	return fmt.Errorf("%q is none of %v", value, allowed)
}

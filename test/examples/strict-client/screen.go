package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The types have the properties of known-screen.schema.json that this client
// uses; decode.go explains how they are read.
type (
	// Screen is everything that a client draws. The schema requires neither a
	// locale nor ui_strings, but a client without its own defaults needs them.
	Screen struct {
		Layout                              Layout    `need:"yes"`
		Title                               string    `need:"yes"`
		Locale                              Locale    `need:"yes"`
		UiStrings                           UiStrings `need:"yes"`
		ScreenID, RecordID, UserDisplayName string
		Status                              string
		AuthAction, ParentURL               Path
		Actions                             Actions
		Sections                            []Section
		Lines                               *Lines
		Menu                                *Menu
	}
	Actions struct {
		Save, Create, Delete Path
	}
	Locale struct {
		DateFormat, DecimalSeparator, ThousandSeparator string `need:"yes"`
	}
	Section struct {
		ID, Label        string  `need:"yes"`
		Fields           []Field `need:"yes"`
		RowGroup, Column uint8
	}
	Field struct {
		ID, Label             string    `need:"yes"`
		Type                  FieldType `need:"yes"`
		Value, Placeholder    string
		TrueLabel, FalseLabel string
		Editable              *bool
		Focus                 bool
		Rows                  uint8
		Options               []Option
		Validation            Validation
	}
	Validation struct {
		MaxLength uint32
		Pattern   string
		Required  bool
		Min, Max  float64
	}
	Lines struct {
		Columns  []Column `need:"yes"`
		Rows     []Row
		RowCount uint64
		OnSelect Path
	}
	Column struct {
		ID, Label string `need:"yes"`
		Type      FieldType
		Width     uint16
		Align     Align
	}
	Row struct {
		Index  uint64   `need:"yes"`
		Values []string `need:"yes"`
	}
	Menu struct {
		PanelTitle string `need:"yes"`
		Tabs       []Tab  `need:"yes"`
	}
	Tab struct {
		Label string     `need:"yes"`
		Items []MenuItem `need:"yes"`
	}
	MenuItem struct {
		Label  string     `need:"yes"`
		Action MenuAction `need:"yes"`
	}
	MenuAction struct {
		Type      string `need:"yes"`
		URL, Text *string
	}
	// AuthResponse is the only type of the contract with null values.
	AuthResponse struct {
		Success      bool    `need:"yes"`
		Token, Error *string `need:"yes" null:"allowed"`
		Screen       *Screen `need:"yes" null:"allowed"`
	}
	Option struct {
		Value, Label string `need:"yes"`
	}
	UiStrings map[string]string
	Layout    string
	FieldType string
	Align     string
	Path      string
)

var uiKeys = strings.Fields(`save_confirm_title save_confirm_message save_confirm_save
	save_confirm_discard save_confirm_cancel quit_title quit_message quit_yes quit_no logout
	created deleted saved saving loading cancelled no_changes copied error_prefix
	save_error_prefix login_error server_unavailable connecting`)

func (l Layout) valid() error {
	return oneOf(l, "Card", "List", "HeaderLines", "Grid", "Menu")
}

func (t FieldType) valid() error {
	return oneOf(t, "Text", "Decimal", "Integer", "Date", "Email", "Phone", "URL", "Boolean",
		"Option", "Password", "TextArea", "DateRange", "Time", "Separator")
}

func (a Align) valid() error { return oneOf(a, "left", "right", "center") }

func (a Actions) of(name string) Path {
	return map[string]Path{"save": a.Save, "create": a.Create, "delete": a.Delete}[name]
}

func (p Path) valid() error {
	if !strings.HasPrefix(string(p), "/") || strings.HasPrefix(string(p), "//") {
		return fmt.Errorf("%q is no path from the origin", p)
	}
	return nil
}

// UnmarshalJSON reads only the known keys: other keys may have any type.
func (u *UiStrings) UnmarshalJSON(data []byte) error {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(data, &entries); err != nil {
		return err
	}
	*u = UiStrings{}
	for _, key := range uiKeys {
		var text string
		if err := decode(entries[key], &text); err != nil || text == "" {
			return fmt.Errorf("%s: no text (%v)", key, err)
		}
		(*u)[key] = text
	}
	return nil
}

func (a MenuAction) valid() error {
	if a.Type == "open_screen" && a.URL == nil || a.Type == "message" && a.Text == nil {
		return fmt.Errorf("a %s lacks what it needs", a.Type)
	}
	return oneOf(a.Type, "open_screen", "message", "separator")
}

func (l Locale) valid() error {
	if utf8.RuneCountInString(l.DecimalSeparator) != 1 || utf8.RuneCountInString(l.ThousandSeparator) > 1 {
		return errors.New("a separator is one character")
	}
	return oneOf(l.DateFormat, "DD-MM-YYYY", "MM-DD-YYYY")
}

// valid checks what a client needs, beyond the types, to draw the screen.
func (s Screen) valid() error {
	if n := utf8.RuneCountInString(s.Status); n > 42 {
		return fmt.Errorf("status %q has %d characters", s.Status, n)
	}
	if s.AuthAction == "" && s.UserDisplayName == "" {
		return errors.New("no user_display_name, yet it is no login form")
	}
	if s.Layout == "Card" && s.Sections == nil || s.Layout == "List" && s.Lines == nil || s.Layout == "Menu" && s.Menu == nil {
		return fmt.Errorf("a %s with nothing to draw", s.Layout)
	}
	places := map[[2]uint8]string{}
	for _, section := range s.Sections {
		place := [2]uint8{section.RowGroup, section.Column}
		if other, taken := places[place]; taken {
			return fmt.Errorf("section %s is drawn over %s", section.ID, other)
		}
		places[place] = section.ID
		for _, field := range section.Fields {
			if err := s.readable(field.Type, field.Value); err != nil {
				return fmt.Errorf("field %s: %w", field.ID, err)
			}
			if field.Type == "Boolean" && (field.TrueLabel == "" || field.FalseLabel == "" || oneOf(field.Value, "true", "false") != nil) {
				return fmt.Errorf("field %s: a Boolean without words or value", field.ID)
			}
		}
	}
	if s.Lines != nil {
		return s.validLines(s.Lines.Columns, s.Lines.Rows)
	}
	return nil
}

func (s Screen) validLines(columns []Column, rows []Row) error {
	if int(s.Lines.RowCount) != len(rows) {
		return fmt.Errorf("row_count is %d with %d rows", s.Lines.RowCount, len(rows))
	}
	for i, row := range rows {
		if len(row.Values) != len(columns) {
			return fmt.Errorf("row %d has %d values for %d columns", i, len(row.Values), len(columns))
		}
		for j, cell := range row.Values {
			if cell == "true" || cell == "false" {
				return fmt.Errorf("row %d: a person does not read %q", i, cell)
			}
			if err := s.readable(columns[j].Type, cell); err != nil {
				return fmt.Errorf("row %d, %s: %w", i, columns[j].ID, err)
			}
		}
	}
	return nil
}

// readable returns an error if a value is not in the format of the screen's locale.
func (s Screen) readable(t FieldType, value string) (err error) {
	switch {
	case value == "":
	case t == "Date":
		_, err = time.Parse(s.Locale.date("02", "01", "2006"), value)
	case t == "Decimal" || t == "Integer":
		_, err = s.Locale.number(value)
	}
	return err
}

// date formats a day in the locale. The day does not need to exist.
func (l Locale) date(day, month, year string) string {
	return strings.NewReplacer("DD", day, "MM", month, "YYYY", year).Replace(l.DateFormat)
}

func (l Locale) number(text string) (float64, error) {
	point, comma := regexp.QuoteMeta(l.DecimalSeparator), regexp.QuoteMeta(l.ThousandSeparator)
	form := regexp.MustCompile(`^-?(\d+|\d{1,3}(` + comma + `\d{3})+)(` + point + `\d+)?$`)
	if !form.MatchString(text) {
		return 0, fmt.Errorf("%q is no number here", text)
	}
	plain := strings.ReplaceAll(text, l.ThousandSeparator, "")
	return strconv.ParseFloat(strings.Replace(plain, l.DecimalSeparator, ".", 1), 64)
}

// fields returns the fields of all sections, or only those of the given types.
func (s Screen) fields(types ...FieldType) (found []Field) {
	for _, section := range s.Sections {
		for _, field := range section.Fields {
			if len(types) == 0 || oneOf(field.Type, types...) == nil {
				found = append(found, field)
			}
		}
	}
	return found
}

func (s Screen) value(id string) string {
	for _, field := range s.fields() {
		if field.ID == id {
			return field.Value
		}
	}
	return ""
}

func (f Field) editable() bool {
	return f.Type != "Separator" && (f.Editable == nil || *f.Editable)
}

// refused returns whether the client must keep the screen and the typed values.
func (s Screen) refused() bool { return strings.HasPrefix(s.Status, "Error:") }
